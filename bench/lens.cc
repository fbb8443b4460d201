// What the lens adds to the forward pass: time with it against time without, taken in turn.
#include "limelight/lens.h"

#include "bench/inputs.h"
#include "bench/measure.h"
#include "bench/table.h"

using namespace limelight;
using bench::number;

namespace {

struct Asked {
  const char* name;
  LensRequest request;
};

}  // namespace

int main(int argc, char** argv) {
  bench::Table table(argc, argv, "What the lens adds to the forward pass (H1 T4096 D64).");
  bench::Inputs in(1, 4096, 64);
  const Asked asked[] = {
      {"entropy", {.entropy = true}},
      {"top-8 and entropy", {.top_k = 8, .entropy = true}},
      {"received and heatmap", {.received = true, .heatmap = 64}},
      {"all five", {.rows = {0, 5, 2048, 4095}, .top_k = 8, .received = true, .entropy = true, .heatmap = 64}},
  };
  for (const Causal causal : {Causal::kNone, Causal::kBottomRight}) {
    for (const Asked& lens : asked) {
      const std::string name = std::string(lens.name) + (causal == Causal::kNone ? "" : ", causal");
      if (!table.wants(name)) continue;
      for (const int threads : table.threads()) {
        const AttentionOptions options{.causal = causal, .run = {.threads = threads}};
        const auto [plain, with_lens] =
            bench::compare([&] { attention(in.q, in.k, in.v, options, in.out); },
                           [&] { attention_and_look(in.q, in.k, in.v, options, lens.request, in.out); }, 4);
        table.add({{"case", name},
                   {"threads", std::to_string(threads)},
                   {"forward_ms", number(plain * 1e3, 2)},
                   {"with_lens_ms", number(with_lens * 1e3, 2)},
                   {"ratio", number(with_lens / plain, 3)}});
      }
    }
  }
}
