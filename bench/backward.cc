// Forward and backward: share of the multiply-add peak, 14 B H M N D operations in all and 10 in the backward pass
// alone (five products, two of them repeated from the forward pass); causal: live pairs only.
#include "limelight/backward.h"

#include "bench/inputs.h"
#include "bench/measure.h"
#include "bench/table.h"

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
  const auto dout = bench::random_tensor(in.sizes, 4);
  Tensor<float, 4> dq(in.sizes), dk(in.sizes), dv(in.sizes);
  Tensor<float, 3> lse({1, shape.heads, shape.tokens});
  for (const int threads : table.threads()) {
    const AttentionOptions options{.causal = causal, .run = {.threads = threads}};
    const auto forward = [&] { attention(in.q, in.k, in.v, options, in.out, lse.view()); };
    const auto backward = [&] {
      attention_backward(in.q, in.k, in.v, options, in.out, lse, dout, {.dq = dq, .dk = dk, .dv = dv});
    };
    const double product = 2.0 * static_cast<double>(explain(in.q, in.k, in.v, options).live_pairs * shape.head_size);
    const bench::Rate both = bench::measure_flops(7 * product, threads, [&] {
      forward();
      backward();
    });
    const bench::Rate alone = bench::measure_flops(5 * product, threads, backward);
    table.add({{"case", name},
               {"threads", std::to_string(threads)},
               {"peak_gflops", number(both.limit * 1e-9, 1)},
               {"both_ms", number(both.seconds * 1e3, 3)},
               {"both_share_percent", number(both.share * 100, 1)},
               {"backward_ms", number(alone.seconds * 1e3, 3)},
               {"backward_share_percent", number(alone.share * 100, 1)}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::Table table(argc, argv, "Forward and backward, f32: share of the multiply-add peak, live pairs only.");
  for (const int64_t head_size : {64, 128}) {
    for (const Shape& shape :
         {Shape{8, 512, head_size}, {8, 1024, head_size}, {1, 1024, head_size}, {1, 4096, head_size}}) {
      for (const Causal causal : {Causal::kNone, Causal::kBottomRight}) run(shape, causal, table);
    }
  }
}
