// 131,072 tokens, causal, with everything the lens offers: peak memory beyond inputs and outputs, time, exactness.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <vector>

#include "bench/measure.h"
#include "limelight/lens.h"

using namespace limelight;
using bench::number;

namespace {

constexpr int64_t kTokens = 131072;
constexpr int64_t kHeadSize = 64;

// The largest difference of one row of weights, and of its output, from the formula in double.
double row_error(const Tensor<float, 4>& q, const Tensor<float, 4>& k, const Tensor<float, 4>& v, int64_t row,
                 const float* weights, const Tensor<float, 4>& out) {
  std::vector<double> p(static_cast<size_t>(row + 1));
  double max = -1e300, sum = 0, error = 0;
  for (int64_t j = 0; j <= row; ++j) {
    double s = 0;
    for (int64_t d = 0; d < kHeadSize; ++d) s += static_cast<double>(q(0, 0, row, d)) * k(0, 0, j, d);
    max = std::max(max, p[static_cast<size_t>(j)] = s / std::sqrt(static_cast<double>(kHeadSize)));
  }
  for (double& s : p) sum += s = std::exp(s - max);
  std::vector<double> y(kHeadSize);
  for (int64_t j = 0; j <= row; ++j) {
    const double w = p[static_cast<size_t>(j)] / sum;
    error = std::max(error, std::abs(w - weights[j]));
    for (int64_t d = 0; d < kHeadSize; ++d) y[static_cast<size_t>(d)] += w * v(0, 0, j, d);
  }
  for (int64_t d = 0; d < kHeadSize; ++d)
    error = std::max(error, std::abs(y[static_cast<size_t>(d)] - out(0, 0, row, d)));
  return error;
}

int64_t bytes_of(const LensResult& lens) {
  return lens.rows.count() * 4 + lens.rows_blocked.count() + lens.top_index.count() * 8 + lens.top_weight.count() * 4 +
         (lens.received.count() + lens.entropy.count() + lens.heatmap_sum.count() + lens.heatmap_max.count()) * 4;
}

double seconds(const std::function<void()>& call) {
  return bench::compare(
             call, [] {}, 0)
      .first;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Table table(argc, argv);
  const std::array<int64_t, 4> sizes{1, 1, kTokens, kHeadSize};
  const auto q = bench::random_tensor(sizes, 1), k = bench::random_tensor(sizes, 2), v = bench::random_tensor(sizes, 3);
  Tensor<float, 4> out(sizes);
  const LensRequest request{
      .rows = {0, 1000, kTokens / 2, kTokens - 1}, .top_k = 8, .received = true, .entropy = true, .heatmap = 64};
  const int64_t before = bench::peak_resident_bytes();
  LensResult lens;
  for (int threads = 1; threads <= std::min(2, available_threads()); ++threads) {
    const AttentionOptions options{.causal = Causal::kBottomRight, .run = {.threads = threads}};
    const double plain = seconds([&] { attention(q, k, v, options, out.view()); });
    const double all = seconds([&] { lens = attention_and_look(q, k, v, options, request, out.view()); });
    double error = 0;
    for (size_t r = 0; r < request.rows.size(); ++r) {
      error = std::max(error, row_error(q, k, v, request.rows[r], &lens.rows(0, 0, static_cast<int64_t>(r), 0), out));
    }
    const int64_t extra = bench::peak_resident_bytes() - before - bytes_of(lens);
    table.add({{"threads", std::to_string(threads)},
               {"forward_s", number(plain, 2)},
               {"with_lens_s", number(all, 2)},
               {"ratio", number(all / plain, 3)},
               {"extra_MiB", number(static_cast<double>(extra) / (1 << 20), 1)},
               {"row_error", number(error * 1e6, 3) + "e-6"}});
  }
}
