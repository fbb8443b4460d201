// A failure's sentence, as the program and the studio tell it.
#include "studio/wording.h"

#include <gtest/gtest.h>

namespace limelight::studio {
namespace {

TEST(Wording, TheFunctionInFrontIsLeftOut) {
  EXPECT_EQ(without_function("[Tokenizer::encode] text: expected UTF-8"), "text: expected UTF-8");
  EXPECT_EQ(without_function("[attention_and_look] k: expected [1, 2], found [1]"), "k: expected [1, 2], found [1]");
  for (const char* other : {"", "[", "[]", "text: [run] threads", "[a b] c", "[2, 3] q", "[attention]q"}) {
    EXPECT_EQ(without_function(other), other);
  }
}

TEST(Wording, OptionsOfTheProgramAreFieldsToThePage) {
  EXPECT_EQ(of_fields("text: it is too long; shorten it, or add --cut"),
            "text: it is too long; shorten it, or add cut");
  EXPECT_EQ(of_fields("[look] find: try --mask none"), "find: try mask none");
  EXPECT_EQ(of_fields("a -- b --1 c--d"), "a -- b --1 c--d");
  EXPECT_EQ(of_fields("word: \"a --cut\" is too long; add --cut"), "word: \"a --cut\" is too long; add cut");
}

}  // namespace
}  // namespace limelight::studio
