// A whole encoder forward pass: share of the multiply-add peak, and for short texts of what reading its weights takes.
#include <iostream>

#include "bench/measure.h"
#include "bench/table.h"
#include "limelight/model.h"

using namespace limelight;
using bench::number;

int main(int argc, char** argv) try {
  bench::Table table(argc, argv, "The forward pass of the encoder in a folder. Share of the multiply-add peak.",
                     "FOLDER");
  const Encoder encoder = Encoder::load(table.argument());
  const EncoderConfig& config = encoder.config();
  // Multiply-adds of a layer: four projections and two of the feed-forward part a token, q k^T and p v a pair.
  const double linear =
      static_cast<double>(config.layers * config.hidden * (4 * config.hidden + 2 * config.intermediate));
  const double weight_bytes = 4 * linear;
  for (const int64_t tokens : {16, 128, 512}) {
    const std::string name = "T" + std::to_string(tokens);
    if (!table.wants(name)) continue;
    for (const int threads : table.threads()) {
      std::vector<int32_t> ids(static_cast<size_t>(tokens), 2009);
      const double t = static_cast<double>(tokens);
      const double flop = 2 * t * linear + 4.0 * t * t * static_cast<double>(config.hidden * config.layers);
      const EncoderOptions options{.run = {.threads = threads}};
      const bench::Rate rate = bench::measure_flops(
          flop, threads, [&] { encoder.forward(ids, options); }, 3);
      const double bandwidth = measure_read_bandwidth(threads);
      const double bound = std::max(flop / rate.limit, weight_bytes / bandwidth);
      table.add({{"case", name},
                 {"threads", std::to_string(threads)},
                 {"ms", number(rate.seconds * 1e3, 2)},
                 {"peak_gflops", number(rate.limit * 1e-9, 1)},
                 {"share_percent", number(rate.share * 100, 1)},
                 {"read_GBps", number(bandwidth * 1e-9, 1)},
                 {"times_bound", number(rate.seconds / bound, 2)}});
    }
  }
} catch (const std::exception& error) {
  std::cerr << "encoder: " << error.what() << "\n";
  return 1;
}
