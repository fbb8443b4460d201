// Small calls on warm caches: the time of one call, checks and all, and its share of the multiply-add peak.
#include "bench/inputs.h"
#include "bench/measure.h"
#include "bench/table.h"
#include "limelight/attention.h"

using namespace limelight;
using bench::number;

int main(int argc, char** argv) {
  bench::Table table(argc, argv, "Small calls on warm caches, one thread: one call, checks and all.");
  for (const std::array<int64_t, 2> size : {std::array<int64_t, 2>{4, 16}, {16, 64}, {64, 64}}) {
    const std::string name = bench::case_name(1, size[0], size[1]);
    if (!table.wants(name)) continue;
    bench::Inputs in(1, size[0], size[1]);
    const auto call = [&] { attention(in.q, in.k, in.v, {}, in.out); };
    const bench::Rate rate = bench::measure_flops(4.0 * static_cast<double>(size[0] * size[0] * size[1]), 1, call);
    table.add({{"case", name},
               {"nanoseconds", number(rate.seconds * 1e9, 0)},
               {"peak_gflops", number(rate.limit * 1e-9, 1)},
               {"share_percent", number(rate.share * 100, 1)}});
  }
}
