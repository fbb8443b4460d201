// Words found by how they are spelt, and light merged from tokens to words.
#include "studio/reading.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "studio/light.h"

namespace limelight::studio {
namespace {

Reading reading_of(const std::vector<std::string>& words) {
  Reading reading;
  for (const std::string& word : words) {
    reading.words.push_back({word, {static_cast<int64_t>(reading.words.size()) + 1}});
  }
  return reading;
}

std::string refusal(const Reading& reading, const std::string& asked) {
  try {
    find_word(reading, asked);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(FindWord, IgnoresCase) {
  const Reading reading = reading_of({"The", "Étage", "didn\u2019t"});
  EXPECT_EQ(find_word(reading, "the"), 0);
  EXPECT_EQ(find_word(reading, "éTAGE"), 1);
  EXPECT_EQ(find_word(reading, "didn't"), 2);
}

TEST(FindWord, ANumberChoosesAmongOccurrences) {
  const Reading reading = reading_of({"it", "saw", "It", ":", "2"});
  EXPECT_EQ(find_word(reading, "it:1"), 0);
  EXPECT_EQ(find_word(reading, "it:2"), 2);
  EXPECT_EQ(find_word(reading, "saw:1"), 1);
  EXPECT_EQ(find_word(reading, ":"), 3);
}

TEST(FindWord, AnAmbiguousWordIsRefusedWithItsOccurrences) {
  const std::string message = refusal(reading_of({"it", "saw", "it", "go"}), "it");
  EXPECT_NE(message.find("it:1 in \"it saw\""), std::string::npos) << message;
  EXPECT_NE(message.find("it:2 in \"saw it go\""), std::string::npos) << message;
}

TEST(FindWord, ManyOccurrencesAreARange) {
  const std::string message = refusal(reading_of(std::vector<std::string>(32, "it")), "it");
  EXPECT_NE(message.find("it:1 to it:32"), std::string::npos) << message;
  EXPECT_NE(message.find("it:4 in"), std::string::npos) << message;
  EXPECT_EQ(message.find("it:5"), std::string::npos) << message;
}

TEST(FindWord, AnOccurrenceThatIsNotThereIsRefused) {
  const Reading reading = reading_of({"it", "saw", "it"});
  for (const char* asked : {"it:0", "it:3", "it:-1", "saw:2"}) EXPECT_NE(refusal(reading, asked), "") << asked;
}

TEST(FindWord, SuggestsTheNearestWordsOnceEach) {
  const std::string message = refusal(reading_of({"street", "animal", "animals", "animal"}), "anmal");
  EXPECT_NE(message.find("near it are: animal, animals"), std::string::npos) << message;
}

TEST(FindWord, NamesTheWordsWhereNoneIsNear) {
  EXPECT_NE(refusal(reading_of({"a", "cat"}), "xyzzy").find("its words are: a cat"), std::string::npos);
}

TEST(FindWord, AWordWithoutPiecesCannotLook) {
  Reading reading = reading_of({"a", "b"});
  reading.words[1].tokens.clear();
  EXPECT_NE(refusal(reading, "b"), "");
}

using Indices = std::vector<int64_t>;

TEST(Link, SumsOverKeyPieces) {
  const QueryLight query{.weights = {0.25, 0.75, 0}};
  EXPECT_DOUBLE_EQ(link(query, Indices{0, 1}), 1.0);
  EXPECT_DOUBLE_EQ(link(query, Indices{1}), 0.75);
  EXPECT_DOUBLE_EQ(link(query, Indices{}), 0.0);
}

TEST(Blocked, OnlyWhereNoPieceIsSeen) {
  const QueryLight query{.blocked = {0, 1, 1}};
  EXPECT_TRUE(blocked(query, Indices{1, 2}));
  EXPECT_FALSE(blocked(query, Indices{0, 2}));
  EXPECT_FALSE(blocked(query, Indices{}));
}

}  // namespace
}  // namespace limelight::studio
