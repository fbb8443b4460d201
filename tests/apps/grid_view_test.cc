// The grid's legend says of what is blocked all that is so of it, and nothing else.
#include "cli/grid_view.h"

#include <gtest/gtest.h>

namespace limelight::cli {
namespace {

using studio::Share;
using studio::SpotlightRow;

studio::Spotlight three_words() {
  studio::Spotlight light{.model = "known", .text = "a b c", .units = {"a", "b", "c"}, .grid = true, .notes = {}};
  for (size_t i = 0; i < 3; ++i) {
    light.rows.push_back({.index = static_cast<int64_t>(i), .shares = std::vector<Share>(3), .own = {i}});
    light.rows.back().shares[i].permille = 1000;
  }
  return light;
}

TEST(GridView, TellsWhyWordsAreBlocked) {
  const Terminal terminal{.interactive = true};
  studio::Spotlight light = three_words();
  EXPECT_EQ(grid_view(light, terminal).find("blocked:"), std::string::npos);
  light.rows[2].shares[0].blocked = true;
  EXPECT_NE(grid_view(light, terminal).find("× blocked: it is beyond the window\n"), std::string::npos);
  light.rows[0].shares[1].blocked = true;
  EXPECT_NE(grid_view(light, terminal).find("× blocked: it comes later, or it is beyond the window\n"),
            std::string::npos);
}

}  // namespace
}  // namespace limelight::cli
