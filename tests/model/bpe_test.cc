// Byte pair merging: earliest merge first, leftmost of equals, in time that grows with the text.
#include "model/bpe.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <ctime>
#include <random>

#include "tests/model/small_bpe.h"
#include "tests/model/small_llama.h"

namespace limelight {
namespace {

using testing::encoded;
using testing::Json;
using testing::load_config;
using testing::small_bpe;

std::string repeated(std::string_view piece, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece;
  return text;
}

TEST(Bpe, TheMergeLearntFirstComesFirst) {
  EXPECT_EQ(encoded(load_config(small_bpe({"b c", "a b"})), "abc"), "a@0-1 bc@1-3");
  EXPECT_EQ(encoded(load_config(small_bpe({"a b", "b c"})), "abc"), "ab@0-2 c@2-3");
  EXPECT_EQ(encoded(load_config(small_bpe({"b c", "a bc"})), "abcabc"), "abc@0-3 abc@3-6");
}

TEST(Bpe, OfEqualPairsTheLeftmostComesFirst) {
  const Tokenizer tokenizer = load_config(small_bpe({"a a", "aa aa"}));
  EXPECT_EQ(encoded(tokenizer, "aaaaa"), "aaaa@0-4 a@4-5");
  EXPECT_EQ(encoded(tokenizer, "aaaaaaa"), "aaaa@0-4 aa@4-6 a@6-7");
}

TEST(Bpe, NothingJoinsAcrossWords) {
  EXPECT_EQ(encoded(load_config(small_bpe({"a !", "a \u0120", "\u0120 a"})), "a! a a"),
            "a@0-1 !@1-2 \u0120a@2-4 \u0120a@4-6");
}

TEST(Bpe, AWordThatIsAPieceNeedsNoMergesWhereTheFileSaysSo) {
  Json config = small_bpe({"a b"});
  config["model"]["vocab"]["abc"] = 300;
  EXPECT_EQ(encoded(load_config(config), "abc"), "ab@0-2 c@2-3");
  config["model"]["ignore_merges"] = true;
  EXPECT_EQ(encoded(load_config(config), "abc abcd"), "abc@0-3 \u0120@3-4 ab@4-6 c@6-7 d@7-8");
}

TEST(Bpe, APieceOfACharacterSpansTheWholeCharacter) {
  EXPECT_EQ(encoded(load_config(small_bpe({})), "\u00E9"), "\u00C3@0-2 \u00A9@0-2");
  EXPECT_EQ(encoded(load_config(small_bpe({"\u00C3 \u00A9", "x \u00C3"})), "x\u00E9"), "x@0-1 \u00C3\u00A9@1-3");
  EXPECT_EQ(encoded(load_config(small_bpe({"x \u00C3"})), "x\u00E9"), "x\u00C3@0-3 \u00A9@1-3");
}

TEST(Bpe, ABytesWithoutAPieceIsUnknownOrLeftOut) {
  Json config = small_bpe({"a b"});
  config["model"]["vocab"].erase("x");
  EXPECT_EQ(encoded(load_config(config), "axb"), "ab@0-3");
  config["model"]["unk_token"] = "?";
  EXPECT_EQ(encoded(load_config(config), "axb"), "a@0-1 ?@1-2 b@2-3");
}

// Each pass joins the leftmost of the earliest pairs: the definition, quadratic.
std::vector<int32_t> by_definition(const detail::MergeTable& merges, std::vector<int32_t> ids) {
  while (true) {
    size_t best = ids.size();
    std::optional<detail::Merge> chosen;
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      const auto merge = merges.find(ids[i], ids[i + 1]);
      if (merge && (!chosen || merge->cost < chosen->cost)) {
        chosen = merge;
        best = i;
      }
    }
    if (!chosen) return ids;
    ids[best] = chosen->id;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

TEST(Bpe, RandomMergesEqualTheDefinition) {
  std::mt19937 random(5);
  for (int run = 0; run < 200; ++run) {
    detail::Vocabulary vocabulary;
    std::vector<std::string> pieces;
    const auto add = [&](const std::string& text) {
      if (vocabulary.find(text) != nullptr) return;
      vocabulary.add(static_cast<int32_t>(pieces.size()), text);
      pieces.push_back(text);
    };
    for (const char* letter : {"a", "b", "c"}) add(letter);
    detail::MergeTable merges;
    for (int merge = 0; merge < 12; ++merge) {
      const std::string left = pieces[random() % pieces.size()], right = pieces[random() % pieces.size()];
      add(left + right);
      merges.add(vocabulary, left, right);
    }
    std::vector<detail::Symbol> symbols;
    std::vector<int32_t> ids;
    for (size_t i = 0; i < 40; ++i) {
      ids.push_back(static_cast<int32_t>(random() % 3));
      symbols.push_back({i, i + 1, ids.back()});
    }
    detail::merge_symbols(symbols, [&](const auto& left, const auto& right) { return merges.find(left.id, right.id); });
    std::vector<int32_t> found;
    for (const detail::Symbol& symbol : symbols) found.push_back(symbol.id);
    EXPECT_EQ(found, by_definition(merges, ids));
  }
}

// Of the processor, so that a busy machine does not count.
double seconds(const Tokenizer& tokenizer, const std::string& text) {
  double best = 1e9;
  for (int run = 0; run < 3; ++run) {
    const std::clock_t start = std::clock();
    tokenizer.encode(text);
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

void expect_linear(const Tokenizer& tokenizer) {
  for (const char* unit : {"a", "Z", "us", "_", " ", "\n", " \n", "\u4e2d", "'", "a ", "1", "\u0301"}) {
    const double once = seconds(tokenizer, repeated(unit, 25'000));
    const double four_times = seconds(tokenizer, repeated(unit, 100'000));
    // Quadratic time would be 16 times; 10 leaves room for caches.
    EXPECT_LT(four_times, 10 * once + 0.02) << unit;
    EXPECT_LT(four_times, 1.0) << unit;
  }
}

TEST(Bpe, TimeGrowsWithTheTextAndNoFaster) {
  expect_linear(
      load_config(small_bpe({"a a", "aa aa", "u s", "Z Z", "_ _", "\u0120 \u0120", "\u0120\u0120 \u0120\u0120"})));
  const testing::SmallLlama llama(
      {"\u2581", "a", "u", "s", "Z", "aa", "aaaa", "us", "ZZ", "\u2581\u2581", "\u2581a", "\u2581\u2581\u2581\u2581"});
  expect_linear(load_config(llama.json()));
  expect_linear(load_config(llama.metaspace()));
  expect_linear(Tokenizer(detail::tokenizer_config(llama.parts())));
}

TEST(Bpe, LongWordsNeedNoDeepStack) {
  static const Tokenizer tokenizer = load_config(small_bpe({"A A", "AA AA"}));
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 512 << 10);
  pthread_t thread;
  const auto work = [](void*) -> void* {
    tokenizer.encode(repeated("A", 131'072));
    tokenizer.encode(repeated(" \n", 50'000));
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, work, nullptr), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

}  // namespace
}  // namespace limelight
