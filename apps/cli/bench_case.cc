// The calls that are timed, on numbers from a fixed seed.
#include "bench_case.h"

#include <algorithm>
#include <cmath>

#include "limelight/backward.h"
#include "stored_tensor.h"

namespace limelight::cli {
namespace {

// Values in [-1, 1), the same in every run.
StoredTensor filled(Storage storage, const std::array<int64_t, 4>& sizes, uint32_t seed) {
  Tensor<float, 4> tensor(sizes);
  for (int64_t i = 0; i < tensor.count(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    tensor.data()[i] = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
  }
  return stored_as(storage, tensor);
}

double key_value_bytes(const BenchCase& c) {
  return static_cast<double>(c.batch * c.groups) * static_cast<double>(c.keys) *
         static_cast<double>((c.head_size + c.value_size) * storage_bytes(c.storage));
}

// As many copies of the keys and values as fill a memory beyond the caches.
int64_t copies_of(const BenchCase& c) {
  constexpr double kBeyondCaches = 256 << 20;
  return c.subject == Subject::kDecode ? std::max<int64_t>(1, std::llround(kBeyondCaches / key_value_bytes(c))) : 1;
}

FloatView copy_at(const StoredTensor& all, int64_t copy, int64_t batch) {
  FloatView view = view_of(all);
  view.data = view.at(copy * batch, 0, 0, 0);
  view.sizes[0] = batch;
  return view;
}

double work_of(const BenchCase& c, int64_t live_pairs) {
  const auto d = static_cast<double>(c.head_size), e = static_cast<double>(c.value_size);
  switch (c.subject) {
    case Subject::kBackward:
      return 2 * (4 * d + 3 * e) * static_cast<double>(live_pairs);
    case Subject::kDecode:
      return key_value_bytes(c);
    default:
      return 2 * (d + e) * static_cast<double>(live_pairs);
  }
}

Rate measure_forward(const BenchCase& c, const AttentionOptions& options, int64_t runs) {
  const int64_t copies = copies_of(c);
  const StoredTensor q = filled(c.storage, {c.batch, c.heads, c.queries, c.head_size}, 1);
  const StoredTensor k = filled(c.storage, {copies * c.batch, c.groups, c.keys, c.head_size}, 2);
  const StoredTensor v = filled(c.storage, {copies * c.batch, c.groups, c.keys, c.value_size}, 3);
  StoredTensor out = make_stored(c.storage, {c.batch, c.heads, c.queries, c.value_size});
  const auto threads = static_cast<int>(c.threads);
  const bool reads = c.subject == Subject::kDecode;
  const Explanation plan = explain(view_of(q), copy_at(k, 0, c.batch), copy_at(v, 0, c.batch), options);
  int64_t copy = 0;
  return measure_rate(
      work_of(c, plan.live_pairs), runs,
      [&] { return reads ? measure_read_bandwidth(threads) : measure_peak_flops(threads); },
      [&] {
        attention(view_of(q), copy_at(k, copy, c.batch), copy_at(v, copy, c.batch), options, output_of(out));
        copy = (copy + 1) % copies;
      });
}

Rate measure_backward(const BenchCase& c, const AttentionOptions& options, int64_t runs) {
  const StoredTensor q = filled(c.storage, {c.batch, c.heads, c.queries, c.head_size}, 1);
  const StoredTensor k = filled(c.storage, {c.batch, c.groups, c.keys, c.head_size}, 2);
  const StoredTensor v = filled(c.storage, {c.batch, c.groups, c.keys, c.value_size}, 3);
  const StoredTensor dout = filled(c.storage, {c.batch, c.heads, c.queries, c.value_size}, 4);
  StoredTensor out = make_stored(c.storage, view_of(dout).sizes);
  StoredTensor dq = make_stored(c.storage, view_of(q).sizes);
  StoredTensor dk = make_stored(c.storage, view_of(k).sizes);
  StoredTensor dv = make_stored(c.storage, view_of(v).sizes);
  Tensor<float, 3> lse({c.batch, c.heads, c.queries});
  const AttentionGradients gradients{.dq = output_of(dq), .dk = output_of(dk), .dv = output_of(dv)};
  const Explanation plan = explain(view_of(q), view_of(k), view_of(v), options);
  return measure_rate(
      work_of(c, plan.live_pairs), runs, [&] { return measure_peak_flops(static_cast<int>(c.threads)); },
      [&] {
        attention(view_of(q), view_of(k), view_of(v), options, output_of(out), lse.view());
        attention_backward(view_of(q), view_of(k), view_of(v), options, output_of(out), lse, view_of(dout), gradients);
      });
}

}  // namespace

double least_seconds(const BenchCase& c) {
  constexpr double kMuch = 1e12;
  const double pairs = static_cast<double>(c.batch * c.heads) * static_cast<double>(c.queries) *
                       static_cast<double>(c.keys) * (c.causal == Causal::kNone ? 1 : 0.5);
  const double products = c.subject == Subject::kBackward ? 3.5 : 1;  // of the forward pass's, both together
  const double flop = 2 * products * static_cast<double>(c.head_size + c.value_size) * pairs;
  return flop < kMuch ? 0 : flop / measure_peak_flops(static_cast<int>(c.threads));
}

Rate measure_case(const BenchCase& c, int64_t runs) {
  AttentionOptions options;
  options.causal = c.causal;
  options.run.threads = static_cast<int>(c.threads);
  return c.subject == Subject::kBackward ? measure_backward(c, options, runs) : measure_forward(c, options, runs);
}

}  // namespace limelight::cli
