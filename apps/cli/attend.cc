// limelight attend: attention and its lens on tensors of one's own.
#include <memory>
#include <numeric>

#include "attend_input.h"
#include "command_line.h"
#include "commands.h"
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
                    "A safetensors file with q [B,H,M,D], k [B,G,N,D], v [B,G,N,E]; maybe bias, mask, key_lengths")
        .required("IN")
        .text("--out", out, "The file to write")
        .required("--out")
        .choice("--causal", causal, {"none", "top-left", "bottom-right", "top_left", "bottom_right"},
                "Which keys a query may see")
        .real("--scale", scale, "Of the scores; 1/sqrt(D) unless given")
        .numbers("--window", window, "Keys seen left and right of a query, as L,R; -1: all", {.least = -1}, 2)
        .real("--softcap", softcap, "Scores become C tanh(s / C)")
        .numbers_or_all("--rows", rows, all_rows,
                        "Write the weights of these queries; negative ones count from the end")
        .number("--top-k", top_k, "Write the K strongest keys of every query", {.least = 1})
        .flag("--received", received, "Write the mass that every key receives")
        .flag("--entropy", entropy, "Write the entropy of every query's weights")
        .number("--heatmap", heatmap, "Write a map of the weights, pooled to P by P", {.least = 1})
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
    const LensResult lens = attention_and_look(input.q, input.k, input.v, asked, wanted, result, lse.view());

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
