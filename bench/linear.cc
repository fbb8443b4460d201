// A linear layer: share of the multiply-add peak of the same run.
#include "bench/inputs.h"
#include "bench/measure.h"
#include "bench/table.h"
#include "limelight/nn.h"

using namespace limelight;
using bench::number;

namespace {

struct Shape {
  int64_t in, out;
};

TensorView<const float, 2> matrix(const Tensor<float, 4>& tensor) {
  return view_of(tensor.data(), std::array<int64_t, 2>{tensor.sizes()[2], tensor.sizes()[3]});
}

}  // namespace

int main(int argc, char** argv) {
  bench::Table table(argc, argv, "A linear layer, f32: share of the multiply-add peak.");
  for (const Shape& shape : {Shape{384, 384}, {384, 1536}, {1536, 384}, {768, 3072}, {2048, 2048}}) {
    const auto weight = bench::random_tensor({1, 1, shape.out, shape.in}, 1);
    const Linear linear(matrix(weight));
    for (const int64_t tokens : {16, 128, 512, 2048}) {
      const std::string name =
          "T" + std::to_string(tokens) + " in" + std::to_string(shape.in) + " out" + std::to_string(shape.out);
      if (!table.wants(name)) continue;
      const auto x = bench::random_tensor({1, 1, tokens, shape.in}, 2);
      Tensor<float, 2> y({tokens, shape.out});
      const double flop = 2.0 * static_cast<double>(tokens * shape.in * shape.out);
      for (const int threads : table.threads()) {
        const bench::Rate rate = bench::measure_flops(
            flop, threads, [&] { linear.forward(matrix(x), y, {.threads = threads}); }, 1);
        table.add({{"case", name},
                   {"threads", std::to_string(threads)},
                   {"ms", number(rate.seconds * 1e3, 3)},
                   {"gflops", number(flop / rate.seconds * 1e-9, 1)},
                   {"peak_gflops", number(rate.limit * 1e-9, 1)},
                   {"share_percent", number(rate.share * 100, 1)}});
      }
    }
  }
}
