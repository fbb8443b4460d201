// Rows of a query's tokens become one as they come, so that a long word takes no more memory than a short one.
#include "studio/light.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <numeric>

#include "tests/apps/answer_fixture.h"

namespace limelight::studio {
namespace {

std::vector<HeadLight> watched(const std::vector<int32_t>& ids, const std::vector<Query>& queries,
                               const WatchOptions& options) {
  std::vector<HeadLight> lights;
  watch(LetterReader(), ids, queries, options, [&](HeadLight&& light) { lights.push_back(std::move(light)); });
  return lights;
}

TEST(Watch, AQuerysRowIsTheMeanOfItsTokensRows) {
  const std::vector<int32_t> ids = {0, 1, 5, 3, 4, 0, 2};
  const std::vector<Query> queries = {{.unit = 7, .tokens = {1, 4}}, {.tokens = {1}}, {.tokens = {4}}};
  const std::vector<HeadLight> lights = watched(ids, queries, {.run = {}});
  ASSERT_EQ(lights.size(), 4u);
  for (const HeadLight& light : lights) {
    const QueryLight &both = light.queries[0], &first = light.queries[1], &second = light.queries[2];
    EXPECT_EQ(both.unit, 7);
    EXPECT_FALSE(both.lse);
    EXPECT_TRUE(first.lse);
    EXPECT_DOUBLE_EQ(both.entropy, (first.entropy + second.entropy) / 2);
    for (size_t key = 0; key < ids.size(); ++key) {
      EXPECT_DOUBLE_EQ(both.weights[key], (first.weights[key] + second.weights[key]) / 2);
      EXPECT_EQ(both.blocked[key], key > 4 ? 1 : 0);
      EXPECT_EQ(first.blocked[key], key > 1 ? 1 : 0);
    }
  }
}

TEST(Watch, ShowsTheHeadsWantedInOrder) {
  const std::vector<int32_t> ids = {0, 1, 2};
  using Names = std::vector<std::pair<int64_t, int64_t>>;
  const auto names = [&](const WatchOptions& options) {
    Names shown;
    for (const HeadLight& light : watched(ids, {{.tokens = {2}}}, options)) shown.emplace_back(light.layer, light.head);
    return shown;
  };
  EXPECT_EQ(names({.run = {}}), (Names{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  EXPECT_EQ(names({.layer = 1, .run = {}}), (Names{{1, 0}, {1, 1}}));
  EXPECT_EQ(names({.head = 1, .run = {}}), (Names{{0, 1}, {1, 1}}));
  EXPECT_EQ(names({.layer = 0, .head = 1, .run = {}}), (Names{{0, 1}}));
}

// More rows than are looked at at once: 2,100 tokens see 4.4 million pairs.
TEST(Watch, ManyTokensThatLookAddUpAsFewDo) {
  std::vector<int32_t> ids(2100);
  for (size_t t = 0; t < ids.size(); ++t) ids[t] = static_cast<int32_t>(t % 6);
  Query all{.tokens = std::vector<int64_t>(ids.size())}, head = all, tail = all;
  std::iota(all.tokens.begin(), all.tokens.end(), 0);
  head.tokens = {all.tokens.begin(), all.tokens.begin() + 1050};
  tail.tokens = {all.tokens.begin() + 1050, all.tokens.end()};
  const HeadLight light = watched(ids, {all, head, tail}, {.layer = 0, .head = 0, .run = {}}).front();
  for (size_t key = 0; key < ids.size(); ++key) {
    const double mean = (light.queries[1].weights[key] + light.queries[2].weights[key]) / 2;
    EXPECT_NEAR(light.queries[0].weights[key], mean, 1e-15);
  }
}

int64_t peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

// A word of 5,000 tokens: its rows of the four heads, all at once, would be 500 MB.
TEST_F(Answer, OneLongWordTakesNoSquareOfMemory) {
  const std::string word(5000, 'a'), text = "b " + word;
  const int64_t before = peak_mebibytes();
  good("heads", {{"text", text}, {"from", 1}, {"to", 0}});
  good("look", {{"text", text}, {"word", 1}, {"find", 0}});
  good("look", {{"text", text}, {"word", 1}, {"layer", 0}});
  good("look", {{"text", text}, {"layer", 1}, {"head", 1}});
  good("look", {{"text", text}});
  good("export", {{"text", text}, {"format", "html"}});
  EXPECT_LT(peak_mebibytes() - before, 150);
}

}  // namespace
}  // namespace limelight::studio
