// A decoder's sequences in one pass over pages they share, against a pass and a block of memory for each.
#include <iostream>

#include "bench/measure.h"
#include "bench/table.h"
#include "limelight/decoder.h"

using namespace limelight;
using bench::number;

int main(int argc, char** argv) try {
  bench::Table table(argc, argv, "Sequences of a decoder in one pass, in pages, and one by one, in blocks.", "MODEL");
  const Decoder decoder = Decoder::load(table.argument());
  const DecoderPages pages(decoder.config(), 128);
  const std::vector<int32_t> ids(513, 1);
  const auto measure = [&](const std::string& name, int64_t count, int64_t before, int threads) {
    const auto next = std::span(ids).subspan(before == 0 ? 1 : 512);
    const DecoderOptions options{.run = {.threads = threads}};
    std::vector<DecoderCache> paged, blocks;
    std::vector<DecoderInput> inputs;
    for (int64_t s = 0; s < count; ++s) paged.emplace_back(pages), blocks.emplace_back(decoder.config(), 513);
    for (DecoderCache& cache : paged) inputs.push_back({next, cache});
    for (auto* caches : {&paged, &blocks}) {
      for (DecoderCache& cache : *caches) decoder.forward_last(std::span(ids).first(512), cache);
    }
    const auto [together, apart] = bench::compare(
        [&] {
          for (DecoderCache& cache : paged) cache.truncate(before);
          decoder.forward_last(inputs, options);
        },
        [&] {
          for (DecoderCache& cache : blocks) cache.truncate(before), decoder.forward_last(next, cache, options);
        },
        6);
    const auto tokens = static_cast<double>(count * static_cast<int64_t>(next.size()));
    table.add({{"case", name},
               {"threads", std::to_string(threads)},
               {"together_ms", number(together * 1e3, 2)},
               {"apart_ms", number(apart * 1e3, 2)},
               {"together_tokens_per_second", number(tokens / together, 0)},
               {"apart_tokens_per_second", number(tokens / apart, 0)}});
  };
  for (const int threads : table.threads()) {
    if (table.wants("prompt of 512")) measure("prompt of 512", 1, 0, threads);
    for (const int64_t count : {1, 6, 8}) {
      const std::string name = std::to_string(count) + " after 512";
      if (table.wants(name)) measure(name, count, 512, threads);
    }
  }
} catch (const std::exception& error) {
  std::cerr << "sequences: " << error.what() << "\n";
  return 1;
}
