// What each option adds: time with it against plain attention, taken in turn. A window is compared with what its live
// pairs would take at plain speed.
#include <algorithm>
#include <random>
#include <vector>

#include "bench/inputs.h"
#include "bench/measure.h"
#include "bench/table.h"
#include "limelight/attention.h"

using namespace limelight;
using bench::number;

namespace {

constexpr int64_t kHeadSize = 64;

struct Side {
  FloatView q, k, v;
  FloatOutput out;
  AttentionOptions options;
};

// Adds the row of `with` against `plain` for every number of threads.
void add(bench::Table& table, const std::string& name, Side plain, Side with) {
  if (!table.wants(name)) return;
  const auto pairs = [](const Side& s) { return static_cast<double>(explain(s.q, s.k, s.v, s.options).live_pairs); };
  const auto call = [](const Side& s) { return [&s] { attention(s.q, s.k, s.v, s.options, s.out); }; };
  for (const int threads : table.threads()) {
    plain.options.run.threads = with.options.run.threads = threads;
    const auto [seconds, with_seconds] = bench::compare(call(plain), call(with));
    table.add({{"case", name},
               {"threads", std::to_string(threads)},
               {"plain_ms", number(seconds * 1e3, 3)},
               {"with_ms", number(with_seconds * 1e3, 3)},
               {"live_percent", number(100 * pairs(with) / pairs(plain), 1)},
               {"ratio", number(with_seconds / seconds * pairs(plain) / pairs(with), 3)}});
  }
}

void add_options(bench::Table& table, int64_t tokens) {
  bench::Inputs in(1, tokens, kHeadSize);
  const std::array<int64_t, 4> square{1, 1, tokens, tokens};
  const auto bias = bench::random_tensor(square, 4), row_bias = bench::random_tensor({1, 1, 1, tokens}, 5);
  Tensor<uint8_t, 4> mask(square);
  std::mt19937 generator(6);
  std::generate_n(mask.data(), mask.count(), [&] { return static_cast<uint8_t>(generator() % 8 != 0); });
  const std::vector<float> slopes = alibi_slopes(1), sinks{1};
  const auto with = [&](const AttentionOptions& options) { return Side{in.q, in.k, in.v, in.out, options}; };
  const std::string at = ", T" + std::to_string(tokens);
  add(table, "bool mask [M, N]" + at, with({}), with({.mask = mask.view()}));
  add(table, "bias [M, N]" + at, with({}), with({.bias = bias.view()}));
  add(table, "bias [N]" + at, with({}), with({.bias = row_bias.view()}));
  add(table, "softcap 30" + at, with({}), with({.softcap = 30}));
  add(table, "ALiBi" + at, with({}), with({.alibi_slopes = view_of(slopes.data(), std::array<int64_t, 2>{1, 1})}));
  add(table, "sinks" + at, with({}), with({.sinks = view_of(sinks.data(), std::array<int64_t, 1>{1})}));
  add(table, "dropout 0.1" + at, with({}), with({.dropout = {.probability = 0.1f, .seed = 7}}));
}

template <StoredFloat T>
void add_storage(bench::Table& table, int64_t tokens, Causal causal) {
  bench::Inputs wide(1, tokens, kHeadSize);
  const auto q = bench::narrowed<T>(wide.q), k = bench::narrowed<T>(wide.k), v = bench::narrowed<T>(wide.v);
  Tensor<T, 4> out(wide.sizes);
  const std::string name = std::string(storage_name(storage_of<T>())) + (causal == Causal::kNone ? "" : " causal");
  const AttentionOptions options{.causal = causal};
  add(table, name + ", T" + std::to_string(tokens), {wide.q, wide.k, wide.v, wide.out, options},
      {q, k, v, out, options});
}

void add_windows(bench::Table& table, int64_t tokens) {
  bench::Inputs in(1, tokens, kHeadSize);
  const Side plain{in.q, in.k, in.v, in.out, {}};
  Side causal = plain, window = plain;
  causal.options.causal = window.options.causal = Causal::kBottomRight;
  window.options.window = {.left = 255, .right = 0};
  add(table, "causal, T" + std::to_string(tokens), plain, causal);
  add(table, "window 256, T" + std::to_string(tokens), plain, window);
}

}  // namespace

int main(int argc, char** argv) {
  bench::Table table(argc, argv, "What options add to plain attention (H1 D64, f32), for as many live pairs.");
  add_options(table, 4096);
  for (const int64_t tokens : {1024, 4096}) {
    for (const Causal causal : {Causal::kNone, Causal::kBottomRight}) {
      add_storage<BFloat16>(table, tokens, causal);
      add_storage<Float16>(table, tokens, causal);
    }
  }
  add_windows(table, 16384);
}
