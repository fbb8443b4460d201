// Random numbers without a file behind them.
#include "tests/apps/letters.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "lesson/draw.h"
#include "studio/answer.h"

namespace limelight::studio {
namespace {

constexpr std::string_view kTokenizer = R"({
  "version": "1.0", "normalizer": null, "post_processor": null, "decoder": {"type": "ByteLevel"},
  "added_tokens": [{"id": 9, "content": "<x>", "single_word": false, "lstrip": false, "rstrip": false,
                    "normalized": false, "special": true}],
  "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
  "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false,
            "vocab": {"a": 0, "b": 1, "c": 2, "d": 3, "Ġ": 4, "Ġc": 5, "Ċ": 6, "<x>": 9}, "merges": ["Ġ c"]}})";

constexpr int64_t kLayers = 2, kHeads = 2, kDepth = 4;

}  // namespace

Tokenizer letter_tokenizer() {
  const auto path = std::filesystem::path(::testing::TempDir()) / ("letters-" + std::to_string(getpid()) + ".json");
  std::ofstream(path) << kTokenizer;
  Tokenizer tokenizer = Tokenizer::load(path);
  std::filesystem::remove(path);
  return tokenizer;
}

LetterReader::LetterReader(std::string name)
    : Reader({.name = std::move(name),
              .layers = kLayers,
              .heads = kHeads,
              .vocabulary = 10,
              .positions = 6000,
              .output = "hidden",
              .output_width = 1,
              .own_mask = Causal::kBottomRight}),
      tokenizer_(letter_tokenizer()) {}

Tensor<float, 2> LetterReader::read(std::span<const int32_t> ids, const ReadOptions& options) const {
  ++runs;
  const auto tokens = static_cast<int64_t>(ids.size());
  const int64_t layers = options.layers < 0 ? kLayers : options.layers;
  for (int64_t layer = 0; layer < layers; ++layer) {
    if (options.run.progress && !options.run.progress(static_cast<double>(layer) / kLayers)) {
      detail::fail_cancelled("[letters] stopped");
    }
    Tensor<float, 4> parts[3];
    for (uint32_t part = 0; part < 3; ++part) {
      parts[part] = Tensor<float, 4>({1, kHeads, tokens, kDepth});
      for (int64_t n = 0; n < parts[part].count(); ++n) {
        const auto token = static_cast<size_t>(n / kDepth % tokens);
        const auto letter = static_cast<uint64_t>(ids[token]);
        parts[part].data()[n] = 2 * lesson::draw_normal(letter, static_cast<uint32_t>(layer) * 3 + part,
                                                        n % kDepth + n / (kDepth * tokens));
      }
    }
    Tensor<float, 4> out({1, kHeads, tokens, kDepth});
    Tensor<float, 3> lse({1, kHeads, tokens});
    AttentionOptions attended;
    attended.causal = options.causal.value_or(Causal::kBottomRight);
    attention(parts[0], parts[1], parts[2], attended, out, lse);
    if (options.observer) options.observer({layer, parts[0], parts[1], parts[2], lse, attended});
  }
  return {};
}

ModelShelf letter_shelf() {
  const auto facts = [] { return LetterReader().facts(); };
  const auto refuse = []() -> ReaderFacts { detail::fail_format("damaged/config.json: not JSON"); };
  std::vector<ShelfModel> models = {{.name = "damaged",
                                     .kind = "made for tests",
                                     .command = "bring it again",
                                     .writes = false,
                                     .present = [] { return true; },
                                     .load = [=]() -> std::unique_ptr<Reader> { return refuse(), nullptr; },
                                     .facts = refuse},
                                    {.name = "letters",
                                     .kind = "made for tests",
                                     .command = "",
                                     .writes = false,
                                     .present = [] { return true; },
                                     .load = [] { return std::make_unique<LetterReader>(); },
                                     .facts = facts},
                                    {.name = "absent",
                                     .kind = "not here",
                                     .command = "bring it",
                                     .writes = true,
                                     .present = [] { return false; },
                                     .load = [] { return std::make_unique<LetterReader>("absent"); },
                                     .facts = facts}};
  return ModelShelf(std::move(models), "", Limits::kTokens);
}

}  // namespace limelight::studio
