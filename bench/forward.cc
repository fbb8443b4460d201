// The forward pass: share of the multiply-add peak of the same run, counting live pairs only.
#include "bench/inputs.h"
#include "bench/measure.h"
#include "bench/table.h"
#include "limelight/attention.h"

using namespace limelight;
using bench::number;

namespace {

struct Shape {
  int64_t heads, tokens, head_size;
};

void run(const Shape& shape, Causal causal, bench::Table& table) {
  const std::string name = bench::case_name(shape.heads, shape.tokens, shape.head_size, causal != Causal::kNone);
  if (!table.wants(name)) return;
  bench::Inputs in(shape.heads, shape.tokens, shape.head_size);
  for (const int threads : table.threads()) {
    const AttentionOptions options{.causal = causal, .run = {.threads = threads}};
    const double flop = 4.0 * static_cast<double>(explain(in.q, in.k, in.v, options).live_pairs * shape.head_size);
    const bench::Rate rate = bench::measure_flops(flop, threads, [&] { attention(in.q, in.k, in.v, options, in.out); });
    table.add({{"case", name},
               {"threads", std::to_string(threads)},
               {"ms", number(rate.seconds * 1e3, 3)},
               {"gflops", number(flop / rate.seconds * 1e-9, 1)},
               {"peak_gflops", number(rate.limit * 1e-9, 1)},
               {"share_percent", number(rate.share * 100, 1)}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::Table table(argc, argv, "The forward pass, f32: share of the multiply-add peak, live pairs only.");
  const Shape shapes[] = {{12, 128, 32},  {8, 128, 64},   {8, 512, 64},   {8, 1024, 64}, {1, 1024, 64},
                          {1, 4096, 64},  {1, 16384, 64}, {4, 4096, 64},  {8, 128, 128}, {8, 1024, 128},
                          {1, 1024, 128}, {1, 4096, 128}, {1, 16384, 128}};
  for (const Shape& shape : shapes) {
    for (const Causal causal : {Causal::kNone, Causal::kBottomRight}) run(shape, causal, table);
  }
}
