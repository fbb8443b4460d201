// One query on long keys, caches cold: share of the read bandwidth of the same run, counting the bytes of keys and
// values.
#include <vector>

#include "bench/inputs.h"
#include "bench/measure.h"
#include "bench/table.h"
#include "limelight/attention.h"

using namespace limelight;
using bench::number;

namespace {

constexpr int64_t kColdBytes = int64_t{1} << 30;  // keys and values rotate through as much, which no cache holds

struct Shape {
  int64_t heads, groups, keys, head_size;
};

struct KeysAndValues {
  FloatView k, v;
};

// One call on as many threads. `cache` has several copies of the same keys and values.
bench::Rate run(const FloatView& q, const std::vector<KeysAndValues>& cache, int threads) {
  Tensor<float, 4> out(q.sizes);
  const AttentionOptions options{.causal = Causal::kBottomRight, .run = {.threads = threads}};
  const auto bytes = static_cast<double>(2 * cache[0].k.count() * storage_bytes(cache[0].k.storage));
  size_t next = 0;
  return bench::measure_reading(bytes, threads, [&] {
    attention(q, cache[next].k, cache[next].v, options, out);
    next = (next + 1) % cache.size();
  });
}

template <StoredFloat T>
std::vector<bench::Rate> rates(const Shape& shape, const bench::Table& table) {
  const auto q = bench::random_tensor({1, shape.heads, 1, shape.head_size}, 1);
  const auto keys = bench::random_tensor({1, shape.groups, shape.keys, shape.head_size}, 2);
  const Tensor<T, 4> stored = bench::narrowed<T>(keys);
  std::vector<Tensor<T, 4>> memory;
  std::vector<KeysAndValues> cache;
  for (int64_t bytes = 0; bytes < kColdBytes; bytes += 2 * stored.count() * static_cast<int64_t>(sizeof(T))) {
    for (int i = 0; i < 2; ++i) memory.push_back(stored.clone());
    cache.push_back({.k = memory[memory.size() - 2], .v = memory.back()});
  }
  std::vector<bench::Rate> found;
  for (const int threads : table.threads()) found.push_back(run(q, cache, threads));
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Table table(argc, argv, "One query on long keys and values beyond the caches: share of the read bandwidth.");
  for (const Shape& shape : {Shape{32, 32, 4096, 128}, {32, 8, 8192, 128}, {9, 3, 32768, 64}}) {
    const std::string name = "H" + std::to_string(shape.heads) + "/G" + std::to_string(shape.groups) + " N" +
                             std::to_string(shape.keys) + " D" + std::to_string(shape.head_size);
    if (!table.wants(name)) continue;
    const auto f32 = rates<float>(shape, table), bf16 = rates<BFloat16>(shape, table);
    for (size_t i = 0; i < f32.size(); ++i) {
      table.add({{"case", name},
                 {"threads", std::to_string(table.threads()[i])},
                 {"read_GBps", number(f32[i].limit * 1e-9, 1)},
                 {"f32_ms", number(f32[i].seconds * 1e3, 3)},
                 {"f32_share_percent", number(f32[i].share * 100, 1)},
                 {"bf16_ms", number(bf16[i].seconds * 1e3, 3)},
                 {"bf16_share_percent", number(bf16[i].share * 100, 1)},
                 {"bf16_over_f32", number(bf16[i].seconds / f32[i].seconds, 3)}});
    }
  }
}
