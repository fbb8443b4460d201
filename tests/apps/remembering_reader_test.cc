// A model that remembers gives the bits of the model under it, runs it once, and holds a bounded amount.
#include "studio/remembering_reader.h"

#include <gtest/gtest.h>

#include "studio/spotlight_json.h"
#include "tests/apps/letters.h"

namespace limelight::studio {
namespace {

struct Remembering {
  const LetterReader* letters;
  RememberingReader reader;

  Remembering() : Remembering(std::make_unique<LetterReader>()) {}

 private:
  explicit Remembering(std::unique_ptr<LetterReader> model) : letters(model.get()), reader(std::move(model), 8192) {}
};

TEST(RememberingReader, GivesWhatTheModelGives) {
  const LetterReader plain;
  Remembering remembering;
  for (int round = 0; round < 2; ++round) {
    for (const SpotlightOptions& options :
         {SpotlightOptions{.words = {"cd"}}, SpotlightOptions{.words = {"cd"}, .layer = 1, .head = 1},
          SpotlightOptions{}, SpotlightOptions{.words = {"a"}, .mask = Mask::kNone}}) {
      EXPECT_EQ(spotlight_json(spotlight(remembering.reader, "ab cd a", options)),
                spotlight_json(spotlight(plain, "ab cd a", options)));
    }
  }
}

TEST(RememberingReader, RunsOnceForATextAndAMask) {
  Remembering remembering;
  spotlight(remembering.reader, "ab cd a", {.words = {"cd"}});  // all layers, to choose the head
  const int runs = remembering.letters->runs;
  spotlight(remembering.reader, "ab cd a", {.words = {"ab"}, .layer = 0, .head = 1});
  spotlight(remembering.reader, "ab cd a", {});
  EXPECT_EQ(remembering.letters->runs, runs);
  spotlight(remembering.reader, "ab cd b", {});
  EXPECT_EQ(remembering.letters->runs, runs + 1);
  spotlight(remembering.reader, "ab cd a", {.mask = Mask::kNone});
  EXPECT_EQ(remembering.letters->runs, runs + 2);
}

// Projections are not kept.
TEST(RememberingReader, AsksTheModelForVectorsEachTime) {
  Remembering remembering;
  const SpotlightOptions options{.words = {"cd"}, .layer = 1, .head = 0, .vectors = true};
  const std::string first = spotlight_json(spotlight(remembering.reader, "ab cd a", options));
  const int runs = remembering.letters->runs;
  EXPECT_EQ(spotlight_json(spotlight(remembering.reader, "ab cd a", options)), first);
  EXPECT_EQ(remembering.letters->runs, runs + 1);
}

TEST(RememberingReader, AnotherLayerOfTheSameTextIsAddedToWhatIsKnown) {
  Remembering remembering;
  for (int round = 0; round < 2; ++round) {
    for (const int64_t layer : {0, 1}) {
      spotlight(remembering.reader, "ab cd a", {.words = {"cd"}, .layer = layer, .head = 0});
    }
  }
  EXPECT_EQ(remembering.letters->runs, 2);
}

TEST(RememberingReader, ForgetsWhatWasReadLongestAgo) {
  Remembering remembering;
  const std::string letters = "abd";
  for (int n = 0; n < 200; ++n) {
    std::string text;
    for (int digit = n + 1; digit > 0; digit /= 3) text += letters[static_cast<size_t>(digit % 3)];
    spotlight(remembering.reader, text, {.layer = 0, .head = 0});
  }
  EXPECT_LT(remembering.reader.bytes(), int64_t{1} << 20);
  const int runs = remembering.letters->runs;
  EXPECT_EQ(runs, 200);
  spotlight(remembering.reader, "b", {.layer = 0, .head = 0});
  EXPECT_EQ(remembering.letters->runs, runs + 1) << "the first is gone";
}

TEST(RememberingReader, HoldsNoMoreBytesThanItMay) {
  constexpr int64_t kMost = 100000;
  const RememberingReader reader(std::make_unique<LetterReader>(), 8192, kMost);
  for (size_t n = 1; n < 400; n += 20) {
    spotlight(reader, std::string(n, 'a'), {.words = {"#0"}, .layer = 0, .head = 0});
    EXPECT_LE(reader.bytes(), kMost);
    EXPECT_GT(reader.bytes(), 0);
  }
}

}  // namespace
}  // namespace limelight::studio
