// Stop texts: what is let through, and when.
#include "model/generation_stop.h"

#include <gtest/gtest.h>

#include <random>

namespace limelight::testing {
namespace {

using detail::StopTexts;
using Pushes = std::vector<std::string>;

struct Outcome {
  Pushes released;
  bool stopped = false;

  std::string text() const {
    std::string all;
    for (const std::string& part : released) all += part;
    return all;
  }
};

Outcome outcome(const Pushes& stops, const Pushes& pushes) {
  StopTexts texts(stops);
  Outcome outcome;
  for (const std::string& push : pushes) outcome.released.push_back(texts.push(push));
  outcome.released.push_back(texts.finish());
  outcome.stopped = texts.stopped();
  return outcome;
}

TEST(StopTexts, WithoutAnyNothingIsHeldBack) {
  EXPECT_EQ(outcome({}, {"a", "b\n"}).released, (Pushes{"a", "b\n", ""}));
}

TEST(StopTexts, TextIsHeldBackWhileItMayBeTheBeginningOfOne) {
  const Outcome found = outcome({"\n\nUser"}, {"yes\n", "\nUs", "ing it"});
  EXPECT_EQ(found.released, (Pushes{"yes", "", "\n\nUsing it", ""}));
  EXPECT_FALSE(found.stopped);
}

TEST(StopTexts, EndsBeforeOneThatRunsAcrossPushes) {
  const Outcome found = outcome({"END"}, {"the E", "N", "D of it", "more"});
  EXPECT_EQ(found.released, (Pushes{"the ", "", "", "", ""}));
  EXPECT_TRUE(found.stopped);
}

TEST(StopTexts, AnUnfinishedBeginningIsText) {
  const Outcome found = outcome({"END"}, {"the E", "N"});
  EXPECT_EQ(found.released, (Pushes{"the ", "", "EN"}));
  EXPECT_FALSE(found.stopped);
}

TEST(StopTexts, ABeginningInsideABeginningIsFound) {
  EXPECT_EQ(outcome({"aab"}, {"a", "a", "a", "b", "c"}).text(), "a");
  EXPECT_EQ(outcome({"abab"}, {"ab", "acabab"}).text(), "abac");
}

TEST(StopTexts, TheFirstThatIsCompleteCountsHoweverTheTextIsCut) {
  const Pushes stops = {"abcd", "bc", "ca", "aa"};
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    std::string text;
    for (size_t i = 0; i < 1 + random() % 12; ++i) text += static_cast<char>('a' + random() % 4);
    Pushes one_by_one, some;
    for (const char c : text) one_by_one.push_back(std::string(1, c));
    for (size_t at = 0; at < text.size();) {
      some.push_back(text.substr(at, 1 + random() % 4));
      at += some.back().size();
    }
    const Outcome whole = outcome(stops, {text});
    for (const Pushes& pushes : {one_by_one, some}) {
      EXPECT_EQ(outcome(stops, pushes).text(), whole.text()) << text;
      EXPECT_EQ(outcome(stops, pushes).stopped, whole.stopped) << text;
    }
  }
}

TEST(StopTexts, OfThoseThatEndTogetherTheLongestCounts) {
  EXPECT_EQ(outcome({"d", "bcd", "cd"}, {"abcde"}).text(), "a");
}

}  // namespace
}  // namespace limelight::testing
