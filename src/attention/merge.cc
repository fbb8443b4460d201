// Whole results over parts of the keys combined row by row from (out, lse) of each, and the gradients' way back.
#include "limelight/merge.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/checks.h"
#include "kernels/kernels.h"

namespace limelight {
namespace {

using Parts = std::span<const AttentionPart>;

// At least one part, all of the same sizes, which are returned.
std::array<int64_t, 4> check_parts(const char* where, Parts parts) {
  if (parts.empty()) detail::refuse(where, "parts", "at least one", "none");
  const std::array<int64_t, 4> sizes = parts[0].out.sizes;
  for (size_t p = 0; p < parts.size(); ++p) {
    const std::string name = "parts[" + std::to_string(p) + "]";
    detail::check_view(where, name + ".out", parts[p].out, sizes);
    detail::check_view(where, name + ".lse", parts[p].lse, std::span(sizes).first(3));
  }
  return sizes;
}

// Asked first: sizes without a row may be of any number in the others, which nobody counts through.
bool has_rows(const std::array<int64_t, 4>& sizes) {
  return sizes[0] > 0 && sizes[1] > 0 && sizes[2] > 0;
}

template <class Visit>
void for_each_row(const std::array<int64_t, 4>& sizes, const Visit& visit) {
  for (int64_t b = 0; b < sizes[0] && has_rows(sizes); ++b) {
    for (int64_t h = 0; h < sizes[1]; ++h) {
      for (int64_t i = 0; i < sizes[2]; ++i) visit(b, h, i);
    }
  }
}

// exp(lse_p - lse) of every part in one row; returns lse. Where all parts are empty the largest is replaced by 0, which
// leaves lse minus infinity; it passes over NaN, which comes in with the sum.
float weigh_parts(Parts parts, int64_t b, int64_t h, int64_t i, std::vector<float>& weights) {
  float largest = detail::kMinusInfinity;
  for (const AttentionPart& part : parts) largest = std::max(largest, part.lse(b, h, i));
  if (largest == detail::kMinusInfinity) largest = 0;
  float sum = 0;
  for (size_t p = 0; p < parts.size(); ++p) sum += weights[p] = std::exp(parts[p].lse(b, h, i) - largest);
  for (float& weight : weights) weight /= sum;
  return largest + std::log(sum);
}

}  // namespace

void merge(Parts parts, TensorView<float, 4> out, TensorView<float, 3> lse) {
  const std::array<int64_t, 4> sizes = check_parts("merge", parts);
  detail::check_view("merge", "out", out, sizes);
  detail::check_view("merge", "lse", lse, std::span(sizes).first(3));
  if (!has_rows(sizes)) return;
  std::vector<float> weights(parts.size());
  Tensor<float, 1> values({sizes[3]});
  const std::span row(values.data(), static_cast<size_t>(sizes[3]));
  for_each_row(sizes, [&](int64_t b, int64_t h, int64_t i) {
    const float row_lse = weigh_parts(parts, b, h, i, weights);
    std::fill(row.begin(), row.end(), 0.0f);
    for (size_t p = 0; p < parts.size(); ++p) {
      if (parts[p].lse(b, h, i) == detail::kMinusInfinity) continue;  // empty: whatever its out holds is not observed
      for (int64_t e = 0; e < sizes[3]; ++e) row[e] += weights[p] * parts[p].out(b, h, i, e);
    }
    for (int64_t e = 0; e < sizes[3]; ++e) out(b, h, i, e) = row[e];
    lse(b, h, i) = row_lse;
  });
}

AttentionResult merge(Parts parts) {
  const std::array<int64_t, 4> sizes = check_parts("merge", parts);
  AttentionResult whole{Tensor<float, 4>(sizes), Tensor<float, 3>({sizes[0], sizes[1], sizes[2]})};
  merge(parts, whole.out, whole.lse);
  return whole;
}

std::vector<PartGradient> merge_backward(Parts parts, TensorView<const float, 4> out, TensorView<const float, 3> lse,
                                         TensorView<const float, 4> dout,
                                         std::optional<TensorView<const float, 3>> dlse) {
  const char* where = "merge_backward";
  const std::array<int64_t, 4> sizes = check_parts(where, parts);
  detail::check_view(where, "out", out, sizes);
  detail::check_view(where, "lse", lse, std::span(sizes).first(3));
  detail::check_view(where, "dout", dout, sizes);
  if (dlse) detail::check_view(where, "dlse", *dlse, std::span(sizes).first(3));
  std::vector<PartGradient> gradients;
  for (const AttentionPart& part : parts) {
    PartGradient of{Tensor<float, 4>(sizes), Tensor<float, 3>({sizes[0], sizes[1], sizes[2]})};
    for_each_row(sizes, [&](int64_t b, int64_t h, int64_t i) {
      if (part.lse(b, h, i) == detail::kMinusInfinity) return;  // empty: its gradients stay 0
      const float weight = std::exp(part.lse(b, h, i) - lse(b, h, i));
      float along = dlse ? (*dlse)(b, h, i) : 0;
      for (int64_t e = 0; e < sizes[3]; ++e) {
        along += dout(b, h, i, e) * (part.out(b, h, i, e) - out(b, h, i, e));
        of.dout(b, h, i, e) = weight * dout(b, h, i, e);
      }
      of.dlse(b, h, i) = weight * along;
    });
    gradients.push_back(std::move(of));
  }
  return gradients;
}

}  // namespace limelight
