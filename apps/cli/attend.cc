// limelight attend: attention, its lens and its gradients on tensors of one's own.
#include <fmt/format.h>

#include <memory>
#include <stdexcept>

#include "attend_input.h"
#include "attention/backward_check.h"
#include "attention_arguments.h"
#include "command_line.h"
#include "commands.h"
#include "core/consecutive.h"
#include "core/error.h"
#include "core/steps.h"
#include "limelight/backward.h"
#include "limelight/lens.h"
#include "output.h"
#include "progress.h"
#include "studio/wording.h"
#include "written_tensors.h"

namespace limelight::cli {
namespace {

struct Gradients {
  Tensor<float, 4> dq, dk, dv;
  std::optional<Tensor<float, 4>> dbias;
  std::optional<Tensor<float, 1>> dsinks;

  explicit Gradients(const AttendInput& input)
      : dq(view_of(input.q).sizes), dk(view_of(input.k).sizes), dv(view_of(input.v).sizes) {
    if (input.bias) dbias.emplace(input.bias->sizes());
    if (input.sinks) dsinks.emplace(input.sinks->sizes());
  }

  AttentionGradients views() {
    AttentionGradients result{.dq = dq, .dk = dk, .dv = dv};
    if (dbias) result.dbias = dbias->view();
    if (dsinks) result.dsinks = dsinks->view();
    return result;
  }
};

struct Results {
  StoredTensor out;
  Tensor<float, 3> lse;
  LensResult lens;
  std::optional<Gradients> gradients;
};

struct Attend {
  std::optional<std::string> in;
  std::string out;
  AttentionArguments arguments;
  std::optional<float> scale, softcap, dropout;
  std::vector<int64_t> window, rows;
  std::optional<int64_t> seed, offset, top_k, heatmap, threads;
  bool alibi = false, all_rows = false, received = false, entropy = false, backward = false, json = false;

  void declare(Command& command) {
    command
        .positional("IN", in,
                    "A safetensors file with q [B,H,M,D], k [B,G,N,D] and v [B,G,N,E], H a multiple of G, as f32, f16, "
                    "bf16 or f64 (narrowed to f32). It may hold bias (added to the scores) and mask (bool or u8, "
                    "nonzero: attend), both of a shape that broadcasts to [B,H,M,N]; alibi_slopes [H] or [B,H]; sinks "
                    "[H]; key_lengths [B]; cu_q and cu_k [S+1] for packed sequences; block_table [B,columns] for paged "
                    "keys, k and v then being pages; dout [B,H,M,E] and dlse [B,H,M] for --backward")
        .required("IN")
        .output_file("--out", out,
                     "The file to write, safetensors: out [B,H,M,E], lse [B,H,M] and what is asked for below")
        .required("--out");
    arguments.declare(command, "Which keys a query may see; none unless given",
                      "What q, k, v and out are stored as, arithmetic being f32; that of q in the file unless given");
    declare_scores(command);
    declare_results(command);
    command.number("--threads", threads, "Number of threads; all processors unless given", {.least = 1, .most = 4096})
        .flag("--json", json, "Print the list of tensors as JSON")
        .rule([this] { return overwriting("--out", out, *in); });
  }

  void declare_scores(Command& command) {
    command.real("--scale", scale, "Scores are X q.k; 1/sqrt(D) unless given")
        .numbers("--window", window, "Keys seen left and right of a query; -1: all", {.least = -1}, 2, "L,R")
        .real("--softcap", softcap, "Scores s become C tanh(s / C)", "C", {.least = 0})
        .flag("--alibi", alibi, "Add the usual ALiBi slopes of H heads, times the distance to the key, to the scores")
        .real("--dropout", dropout, "Drop weights with probability P, the same ones for the same seed and offset", "P",
              {.least = 0, .below = 1})
        .number("--seed", seed, "Of --dropout; 0 unless given", {.least = 0}, "S")
        .number("--offset", offset, "Of --dropout, another for each call with one seed; 0 unless given", {.least = 0},
                "O")
        .needs("--seed", "--dropout")
        .needs("--offset", "--dropout");
  }

  void declare_results(Command& command) {
    command
        .numbers_or_all(
            "--rows", rows, all_rows,
            "Write the weights of these queries, as rows and rows_blocked [B,H,R,N]; negative ones count from "
            "the end")
        .number("--top-k", top_k, "Write the K strongest keys of every query, as top_index and top_weight [B,H,M,K]",
                {.least = 1, .most = INT32_MAX}, "K")
        .flag("--received", received, "Write the mass that every key receives, as received [B,H,N]")
        .flag("--entropy", entropy, "Write the entropy of every query's weights in nats, as entropy [B,H,M]")
        .number("--heatmap", heatmap,
                "Write a map of the weights pooled to P by P, as heatmap_sum and heatmap_max [B,H,P,P]",
                {.least = 1, .most = 1 << 14}, "P")
        .flag("--backward", backward,
              "Write the gradients that dout (and dlse) send back, in f32: dq, dk, dv, and dbias and dsinks where the "
              "file has bias and sinks");
  }

  AttentionOptions options(const AttendInput& input) const {
    AttentionOptions result;
    result.causal = arguments.causal().value_or(Causal::kNone);
    if (!window.empty()) result.window = {window[0], window[1]};
    result.scale = scale;
    result.softcap = softcap.value_or(0);
    result.dropout = {dropout.value_or(0), static_cast<uint64_t>(seed.value_or(0)),
                      static_cast<uint64_t>(offset.value_or(0))};
    result.run.threads = static_cast<int>(threads.value_or(0));
    input.put_views(result);
    return result;
  }

  LensRequest request(int64_t queries) const {
    LensRequest result;
    result.rows = all_rows ? detail::consecutive(0, queries) : rows;
    result.top_k = top_k.value_or(0);
    result.received = received;
    result.entropy = entropy;
    result.heatmap = heatmap.value_or(0);
    return result;
  }

  // About what the file will take, said before the work where it is much.
  void announce(const AttendInput& input, const LensRequest& wanted) const {
    constexpr double kMuch = 1e8;
    const auto [b, h, m, d] = view_of(input.q).sizes;
    const auto keys = static_cast<double>(input.keys()), side = static_cast<double>(wanted.heatmap);
    const FloatView v = view_of(input.v);
    const double row = static_cast<double>(v.sizes[3] * storage_bytes(input.storage) + 12 * wanted.top_k) +
                       4 * (1 + entropy + input.sinks.has_value());
    const double head = static_cast<double>(m) * row +
                        keys * (5 * static_cast<double>(wanted.rows.size()) + 4 * received) + 8 * side * side;
    double bytes = static_cast<double>(b * h) * head;
    if (backward) bytes += 4.0 * static_cast<double>(view_of(input.q).count() + view_of(input.k).count() + v.count());
    if (backward && input.bias) bytes += 4.0 * static_cast<double>(input.bias->count());
    if (bytes >= kMuch) note(fmt::format("{} will hold {}", out, size_text(bytes)));
  }

  // What is wrong with the tensors is told of the file they are in.
  Results compute(const AttendInput& input, AttentionOptions asked, const LensRequest& wanted,
                  const Progress& progress) const {
    const auto [batch, heads, queries, depth] = view_of(input.q).sizes;
    // Gradients are best from an output that was not rounded.
    Results results{
        make_stored(backward ? Storage::kF32 : input.storage, {batch, heads, queries, view_of(input.v).sizes[3]}),
        Tensor<float, 3>({batch, heads, queries}),
        {},
        std::nullopt};
    const double after_forward = backward ? 2.0 / 7 : 1;  // of seven products
    const Run whole{asked.run.threads, progress};
    std::optional<TensorView<const float, 3>> dlse;
    if (input.dlse) dlse = input.dlse->view();
    if (backward) results.gradients.emplace(input);
    const auto send_back = [&](const auto& call) {
      call(view_of(input.q), view_of(input.k), view_of(input.v), asked, view_of(results.out), results.lse.view(),
           input.dout->view(), results.gradients->views(), dlse);
    };
    try {
      if (backward) send_back(detail::check_backward);
      asked.run = detail::part_of(whole, 0, after_forward);
      results.lens = attention_and_look(view_of(input.q), view_of(input.k), view_of(input.v), asked, wanted,
                                        output_of(results.out), results.lse.view());
      if (!backward) return results;
      asked.run = detail::part_of(whole, after_forward, 1);
      send_back(attention_backward);
    } catch (const std::invalid_argument& wrong) {
      detail::fail_argument(fmt::format("{}: {}", *in, studio::without_function(wrong.what())));
    }
    results.out = stored_as(input.storage, std::get<Tensor<float, 4>>(results.out));
    return results;
  }

  WrittenTensors collected(const AttendInput& input, const LensRequest& wanted, const Results& results) const {
    const LensResult& lens = results.lens;
    WrittenTensors written;
    written.add("out", results.out);
    written.add("lse", results.lse);
    if (!wanted.rows.empty()) written.add("rows", lens.rows);
    if (!wanted.rows.empty()) written.add("rows_blocked", lens.rows_blocked);
    if (top_k) written.add("top_index", lens.top_index);
    if (top_k) written.add("top_weight", lens.top_weight);
    if (received) written.add("received", lens.received);
    if (entropy) written.add("entropy", lens.entropy);
    if (heatmap) written.add("heatmap_sum", lens.heatmap_sum);
    if (heatmap) written.add("heatmap_max", lens.heatmap_max);
    if (input.sinks) written.add("sink_share", lens.sink_share);
    if (!results.gradients) return written;
    const Gradients& gradients = *results.gradients;
    written.add("dq", gradients.dq);
    written.add("dk", gradients.dk);
    written.add("dv", gradients.dv);
    if (gradients.dbias) written.add("dbias", Dtype::kF32, input.bias_shape, gradients.dbias->data());
    if (gradients.dsinks) written.add("dsinks", *gradients.dsinks);
    return written;
  }

  void run() const {
    const AttendInput input =
        read_attend_input(*in, {.dtype = arguments.dtype(), .alibi = alibi, .gradients = backward});
    for (const std::string& line : input.notes) note(line);
    const LensRequest wanted = request(view_of(input.q).sizes[2]);
    announce(input, wanted);
    ProgressBar progress("attend");
    const Results results = compute(input, options(input), wanted, progress.callback());
    const WrittenTensors written = collected(input, wanted, results);
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
