// Long inputs with everything the lens offers: peak memory beyond inputs and outputs, time, exactness.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <vector>

#include "bench/inputs.h"
#include "bench/measure.h"
#include "bench/table.h"
#include "limelight/lens.h"

using namespace limelight;
using bench::number;

namespace {

constexpr int64_t kHeadSize = 64;

// The largest difference of one row of weights, and of its output, from the formula in double. The row sees keys
// first .. row.
double row_error(const bench::Inputs& in, int64_t first, int64_t row, const float* weights) {
  std::vector<double> p(static_cast<size_t>(row + 1 - first));
  double max = -1e300, sum = 0, error = 0;
  for (int64_t j = first; j <= row; ++j) {
    double s = 0;
    for (int64_t d = 0; d < kHeadSize; ++d) s += static_cast<double>(in.q(0, 0, row, d)) * in.k(0, 0, j, d);
    max = std::max(max, p[static_cast<size_t>(j - first)] = s / std::sqrt(static_cast<double>(kHeadSize)));
  }
  for (double& s : p) sum += s = std::exp(s - max);
  std::vector<double> y(kHeadSize);
  for (int64_t j = first; j <= row; ++j) {
    const double w = p[static_cast<size_t>(j - first)] / sum;
    error = std::max(error, std::abs(w - weights[j]));
    for (int64_t d = 0; d < kHeadSize; ++d) y[static_cast<size_t>(d)] += w * in.v(0, 0, j, d);
  }
  for (int64_t d = 0; d < kHeadSize; ++d)
    error = std::max(error, std::abs(y[static_cast<size_t>(d)] - in.out(0, 0, row, d)));
  return error;
}

int64_t bytes_of(const LensResult& lens) {
  return lens.rows.count() * 4 + lens.rows_blocked.count() + lens.top_index.count() * 8 + lens.top_weight.count() * 4 +
         (lens.received.count() + lens.entropy.count() + lens.heatmap_sum.count() + lens.heatmap_max.count()) * 4;
}

double seconds(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Causal, the last `window` keys of each row (-1: all).
void run(bench::Table& table, const std::string& name, int64_t tokens, int64_t window) {
  if (!table.wants(name)) return;
  bench::Inputs in(1, tokens, kHeadSize);
  const LensRequest request{
      .rows = {0, 1000, tokens / 2, tokens - 1}, .top_k = 8, .received = true, .entropy = true, .heatmap = 64};
  AttentionOptions options{.causal = Causal::kBottomRight};
  if (window > 0) options.window.left = window - 1;
  const int64_t before = bench::peak_resident_bytes();
  LensResult lens;
  for (const int threads : table.threads()) {
    options.run.threads = threads;
    lens = {};  // before the next one is made: two would count as working memory
    const double plain = seconds([&] { attention(in.q, in.k, in.v, options, in.out); });
    const double all = seconds([&] { lens = attention_and_look(in.q, in.k, in.v, options, request, in.out); });
    double error = 0;
    for (size_t r = 0; r < request.rows.size(); ++r) {
      const int64_t row = request.rows[r], first = window > 0 ? std::max<int64_t>(0, row + 1 - window) : 0;
      error = std::max(error, row_error(in, first, row, &lens.rows(0, 0, static_cast<int64_t>(r), 0)));
    }
    const int64_t extra = bench::peak_resident_bytes() - before - bytes_of(lens);
    table.add({{"case", name},
               {"threads", std::to_string(threads)},
               {"forward_s", number(plain, 2)},
               {"with_lens_s", number(all, 2)},
               {"ratio", number(all / plain, 3)},
               {"extra_MiB", number(static_cast<double>(extra) / (1 << 20), 1)},
               {"row_error", number(error * 1e6, 3) + "e-6"}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::Table table(argc, argv,
                     "Long inputs, one head, with everything the lens offers: memory beyond results, time.");
  run(table, "T131072 causal", 131072, -1);
  run(table, "T1048576 causal window 1024", 1048576, 1024);
}
