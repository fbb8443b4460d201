// A whole decoder: loading it, a prompt, a token after it, and one head watched over a long text; time and memory.
#include "limelight/decoder.h"

#include <chrono>
#include <filesystem>
#include <iostream>

#include "bench/measure.h"
#include "bench/table.h"
#include "limelight/lens.h"

using namespace limelight;
using bench::number;
namespace fs = std::filesystem;

namespace {

constexpr int64_t kPrompt = 512;

int64_t file_bytes(const fs::path& path) {
  if (!fs::is_directory(path)) return static_cast<int64_t>(fs::file_size(path));
  int64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.path().extension() == ".safetensors") bytes += static_cast<int64_t>(entry.file_size());
  }
  return bytes;
}

double milliseconds(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Any ids do: what a token costs does not hang on which it is.
std::vector<int32_t> ids_of(const DecoderConfig& config, int64_t tokens) {
  std::vector<int32_t> ids(static_cast<size_t>(tokens));
  for (size_t n = 0; n < ids.size(); ++n)
    ids[n] = static_cast<int32_t>((n * 7919 + 11) % static_cast<size_t>(config.vocabulary));
  return ids;
}

// Of the layers that are filled.
int64_t cache_bytes(const DecoderConfig& config, int64_t layers, int64_t tokens) {
  return layers * 2 * config.groups * config.head_size * tokens * static_cast<int64_t>(sizeof(float));
}

// Operations of a prompt of T tokens. Behind the last layer's attention only the last token is gone on with.
double prompt_flop(const DecoderConfig& config, int64_t tokens) {
  const int64_t matrices = config.architecture == "gpt2" ? 2 : 3, queries = config.heads * config.head_size;
  const int64_t before = config.hidden * (queries + 2 * config.groups * config.head_size);
  const int64_t behind = config.hidden * (queries + matrices * config.intermediate);
  const int64_t linear =
      tokens * (config.layers * (before + behind) - behind) + behind + config.vocabulary * config.hidden;
  return 2.0 * static_cast<double>(linear) + 2.0 * static_cast<double>(config.layers * queries * tokens * (tokens + 1));
}

class Bench {
 public:
  Bench(bench::Table& table, Decoder decoder, int64_t bytes)
      : table_(table), decoder_(std::move(decoder)), bytes_(bytes) {}

  // Measuring the read bandwidth takes memory of its own: behind that the peak says nothing of the decoder.
  void add(const std::string& name, int threads, double ms, const std::string& share, int64_t cache,
           bool memory = true) {
    const auto mebibytes = [](int64_t bytes) { return number(static_cast<double>(bytes) / (1 << 20), 0); };
    table_.add({{"case", name},
                {"threads", std::to_string(threads)},
                {"ms", number(ms, 2)},
                {"share_percent", share},
                {"file_MiB", mebibytes(bytes_)},
                {"cache_MiB", mebibytes(cache)},
                {"peak_resident_MiB", memory ? mebibytes(bench::peak_resident_bytes()) : "-"}});
  }

  // The exact row of the last token in one head, half way up.
  void watch(int64_t tokens, int threads) {
    const std::string name = std::to_string(tokens) + " tokens, one head watched";
    const DecoderConfig& config = decoder_.config();
    if (!table_.wants(name) || tokens > config.positions) return;
    const int64_t layer = config.layers / 2;
    DecoderOptions options{.layers = layer + 1, .run = {.threads = threads}};
    options.observer = [&](const LayerAttention& seen) {
      if (seen.layer == layer) look(seen.q, seen.k, seen.options, {.rows = {-1}});
    };
    DecoderCache cache(config, tokens);
    const double ms = milliseconds([&] { decoder_.forward_last(ids_of(config, tokens), cache, options); });
    add(name, threads, ms, "-", cache_bytes(config, layer + 1, tokens));
  }

  void prompt(int threads) {
    const std::string name = "a prompt of " + std::to_string(kPrompt);
    if (!table_.wants(name)) return;
    const DecoderConfig& config = decoder_.config();
    const std::vector<int32_t> ids = ids_of(config, kPrompt);
    DecoderCache cache(config, kPrompt);
    const bench::Rate rate = bench::measure_flops(prompt_flop(config, kPrompt), threads, [&] {
      cache.truncate(0);
      decoder_.forward_last(ids, cache, {.run = {.threads = threads}});
    });
    add(name, threads, rate.seconds * 1e3, number(rate.share * 100, 1), cache_bytes(config, config.layers, kPrompt));
  }

  // The share of reading weights, keys and values once.
  void token(int threads) {
    const std::string name = "a token after " + std::to_string(kPrompt);
    if (!table_.wants(name)) return;
    const DecoderConfig& config = decoder_.config();
    const DecoderOptions options{.run = {.threads = threads}};
    DecoderCache cache(config, kPrompt + 1);
    decoder_.forward_last(ids_of(config, kPrompt), cache, options);
    const auto bytes = static_cast<double>(bytes_ + cache_bytes(config, config.layers, kPrompt));
    const bench::Rate rate = bench::measure_reading(bytes, threads, [&] {
      cache.truncate(kPrompt);
      decoder_.forward_last(ids_of(config, 1), cache, options);
    });
    add(name, threads, rate.seconds * 1e3, number(rate.share * 100, 1), cache_bytes(config, config.layers, kPrompt + 1),
        false);
  }

 private:
  bench::Table& table_;
  Decoder decoder_;
  int64_t bytes_;
};

}  // namespace

int main(int argc, char** argv) try {
  bench::Table table(argc, argv,
                     "A decoder: loading, a prompt (share of the multiply-add peak), a token after it (share of the "
                     "read bandwidth),\none head watched over a long text. Resident memory is the most so far.",
                     "MODEL");
  std::optional<Decoder> decoder;
  const double loading = milliseconds([&] { decoder = Decoder::load(table.argument()); });
  Bench bench(table, std::move(*decoder), file_bytes(table.argument()));
  bench.add("load", 0, loading, "-", 0);
  for (const int threads : table.threads()) bench.prompt(threads);
  for (const int threads : table.threads()) bench.watch(8000, threads);
  for (const int threads : table.threads()) bench.token(threads);
} catch (const std::exception& error) {
  std::cerr << "decoder: " << error.what() << "\n";
  return 1;
}
