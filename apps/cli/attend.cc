// limelight attend: attention and its lens on tensors of one's own.
#include <fmt/format.h>

#include <memory>
#include <numeric>
#include <stdexcept>

#include "attend_input.h"
#include "command_line.h"
#include "commands.h"
#include "core/error.h"
#include "limelight/lens.h"
#include "output.h"
#include "progress.h"
#include "written_tensors.h"

namespace limelight::cli {
namespace {

struct Attend {
  std::optional<std::string> in;
  std::string out, causal = "none";
  std::optional<float> scale, softcap;
  std::vector<int64_t> window, rows;
  std::optional<int64_t> top_k, heatmap, threads;
  bool all_rows = false, received = false, entropy = false, json = false;

  void declare(Command& command) {
    command
        .positional("IN", in,
                    "A safetensors file with q [B,H,M,D], k [B,G,N,D] and v [B,G,N,E], H a multiple of G, as f32, f16, "
                    "bf16 or f64 (narrowed to f32). It may hold bias (f32, added to the scores) and mask (bool or u8, "
                    "nonzero: attend), both of a shape that broadcasts to [B,H,M,N], and key_lengths (i64 [B])")
        .required("IN")
        .text("--out", out, "The file to write, safetensors: out [B,H,M,E], lse [B,H,M] and what is asked for below")
        .required("--out")
        .choice("--causal", causal, {"none", "top-left", "bottom-right", "top_left", "bottom_right"},
                "Which keys a query may see")
        .real("--scale", scale, "Scores are X q.k; 1/sqrt(D) unless given")
        .numbers("--window", window, "Keys seen left and right of a query; -1: all", {.least = -1}, 2, "L,R")
        .real("--softcap", softcap, "Scores s become C tanh(s / C)", "C")
        .numbers_or_all(
            "--rows", rows, all_rows,
            "Write the weights of these queries, as rows and rows_blocked [B,H,R,N]; negative ones count from "
            "the end")
        .number("--top-k", top_k, "Write the K strongest keys of every query, as top_index and top_weight [B,H,M,K]",
                {.least = 1}, "K")
        .flag("--received", received, "Write the mass that every key receives, as received [B,H,N]")
        .flag("--entropy", entropy, "Write the entropy of every query's weights in nats, as entropy [B,H,M]")
        .number("--heatmap", heatmap,
                "Write a map of the weights pooled to P by P, as heatmap_sum and heatmap_max [B,H,P,P]", {.least = 1},
                "P")
        .number("--threads", threads, "All processors unless given", {.least = 1, .most = 4096})
        .flag("--json", json, "Print the list of tensors as JSON")
        .rule([this] { return overwriting("--out", out, *in); });
  }

  AttentionOptions options(const AttendInput& input) const {
    AttentionOptions result;
    if (causal.starts_with("top")) result.causal = Causal::kTopLeft;
    if (causal.starts_with("bottom")) result.causal = Causal::kBottomRight;
    if (!window.empty()) result.window = {window[0], window[1]};
    result.scale = scale;
    result.softcap = softcap.value_or(0);
    result.run.threads = static_cast<int>(threads.value_or(0));
    input.put_views(result);
    return result;
  }

  LensRequest request(int64_t queries) const {
    LensRequest result;
    result.rows = rows;
    if (all_rows) {
      result.rows.resize(static_cast<size_t>(queries));
      std::iota(result.rows.begin(), result.rows.end(), 0);
    }
    result.top_k = top_k.value_or(0);
    result.received = received;
    result.entropy = entropy;
    result.heatmap = heatmap.value_or(0);
    return result;
  }

  // What is wrong with the tensors is told of the file they are in.
  LensResult seen(const AttendInput& input, const AttentionOptions& asked, const LensRequest& wanted,
                  Tensor<float, 4>& result, Tensor<float, 3>& lse) const {
    try {
      return attention_and_look(input.q, input.k, input.v, asked, wanted, result, lse.view());
    } catch (const std::invalid_argument& wrong) {
      detail::fail_argument(fmt::format("{}: {}", *in, wrong.what()));
    }
  }

  void run() const {
    const AttendInput input = read_attend_input(*in);
    for (const std::string& line : input.notes) note(line);
    ProgressBar progress("attend");
    AttentionOptions asked = options(input);
    asked.run.progress = progress.callback();
    const auto [batch, heads, queries, depth] = input.q.sizes();
    const LensRequest wanted = request(queries);
    Tensor<float, 4> result({batch, heads, queries, input.v.sizes()[3]});
    Tensor<float, 3> lse({batch, heads, queries});
    const LensResult lens = seen(input, asked, wanted, result, lse);

    WrittenTensors written;
    written.add("out", result);
    written.add("lse", lse);
    if (!wanted.rows.empty()) written.add("rows", lens.rows);
    if (!wanted.rows.empty()) written.add("rows_blocked", lens.rows_blocked);
    if (top_k) written.add("top_index", lens.top_index);
    if (top_k) written.add("top_weight", lens.top_weight);
    if (received) written.add("received", lens.received);
    if (entropy) written.add("entropy", lens.entropy);
    if (heatmap) written.add("heatmap_sum", lens.heatmap_sum);
    if (heatmap) written.add("heatmap_max", lens.heatmap_max);
    written.write(out);
    progress.finish();
    print(json ? written.as_json() : written.as_table());
  }
};

}  // namespace

void add_attend(CommandLine& line) {
  const auto attend = std::make_shared<Attend>();
  Command command = line.add("attend", "Compute attention on the tensors of a file, and look into it",
                             "limelight attend qkv.safetensors --out seen.safetensors --causal bottom-right --top-k 8",
                             [attend] { attend->run(); });
  attend->declare(command);
}

}  // namespace limelight::cli
