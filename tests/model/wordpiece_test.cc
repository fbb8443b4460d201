// WordPiece: longest piece first, one unknown token a word, and time that grows with the text.
#include "model/wordpiece.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "tests/model/small_tokenizer.h"

namespace limelight {
namespace {

using testing::encoded;
using testing::Json;
using testing::load_config;
using testing::small_config;

std::string repeated(std::string_view piece, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece;
  return text;
}

TEST(WordPiece, TheLongestPieceComesFirst) {
  Json config = small_config();
  config["model"]["vocab"] = {{"[UNK]", 0}, {"[CLS]", 1}, {"[SEP]", 2}, {"[MASK]", 3}, {"u", 4},
                              {"un", 5},    {"##a", 6},   {"##aff", 7}, {"##able", 8}, {"##n", 9}};
  EXPECT_EQ(encoded(load_config(config), "unaffable"), "un@0-2 ##aff@2-5 ##able@5-9");
}

TEST(WordPiece, AWordWithOneUnknownPieceIsOneUnknownToken) {
  const Tokenizer tokenizer = load_config(small_config());
  EXPECT_EQ(encoded(tokenizer, "pok pok\U0001f4a9 pok"), "pok@0-3 [UNK]@4-11 pok@12-15");
}

TEST(WordPiece, ARunOfEmojiIsOneUnknownTokenOverAllOfIt) {
  const Tokenizer tokenizer = load_config(small_config());
  for (int n = 1; n <= 4; ++n) {
    EXPECT_EQ(encoded(tokenizer, repeated("\U0001f4a9", n)), "[UNK]@0-" + std::to_string(4 * n));
  }
}

TEST(WordPiece, TheLimitCountsCharactersNotBytes) {
  const Tokenizer tokenizer = load_config(small_config());
  EXPECT_EQ(tokenizer.encode(repeated("a", 100)).size(), 102u);
  EXPECT_EQ(encoded(tokenizer, repeated("a", 101)), "[UNK]@0-101");
  Json cased = small_config();
  cased["normalizer"]["lowercase"] = false;
  EXPECT_EQ(load_config(cased).encode(repeated("\u00e9", 60)).size(), 62u);
}

TEST(WordPiece, TheLimitOfTheFileHolds) {
  Json config = small_config();
  config["model"]["max_input_chars_per_word"] = 5;
  EXPECT_EQ(encoded(load_config(config), "hello aaaaa aaaaaa"),
            "hello@0-5 a@6-7 ##a@7-8 ##a@8-9 ##a@9-10 ##a@10-11 [UNK]@12-18");
}

TEST(WordPiece, PrefixAndUnknownTokenComeFromTheFile) {
  Json config = small_config();
  config["model"]["continuing_subword_prefix"] = "@";
  config["model"]["vocab"]["@a"] = 27;
  config["model"]["unk_token"] = "[MASK]";
  EXPECT_EQ(encoded(load_config(config), "aa zz"), "a@0-1 @a@1-2 [MASK]@3-5");
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

TEST(WordPiece, TimeGrowsWithTheTextAndNoFaster) {
  Json config = small_config();
  config["model"]["max_input_chars_per_word"] = 2'000'000;
  config["added_tokens"].push_back(testing::added_token(27, "[a]", {"lstrip", "rstrip", "single_word"}));
  const Tokenizer tokenizer = load_config(config);
  for (const char* unit : {"a", " ", "[", "a ", "\u0301", "\u4e2d", "[MASK]", " [a]", "[a"}) {
    const double once = seconds(tokenizer, repeated(unit, 25'000));
    const double four_times = seconds(tokenizer, repeated(unit, 100'000));
    // Quadratic time would be 16 times; 10 leaves room for caches.
    EXPECT_LT(four_times, 10 * once + 0.02) << unit;
  }
  EXPECT_EQ(tokenizer.encode(repeated("a", 1'000'000)).size(), 1'000'002u);
}

}  // namespace
}  // namespace limelight
