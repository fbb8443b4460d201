// Every kind of bad input to the studio's calls: refused, with the field named.
#include <gtest/gtest.h>

#include "tests/apps/answer_fixture.h"

namespace limelight::studio {
namespace {

TEST_F(Answer, WhatIsNoJsonObjectIsRefused) {
  const std::string deep(400000, '['), invalid("{\"text\": \"\xff\"}");
  for (const std::string& body : {std::string(), std::string("x"), std::string("[]"), std::string("{"),
                                  std::string("{\"text\": \"\\ud800\"}"), invalid, deep, "{\"text\":" + deep}) {
    EXPECT_EQ(answer(studio_, {"look", body}).status, 400) << body.substr(0, 40);
  }
  EXPECT_EQ(answer(studio_, {"look", std::string((1 << 20) + 1, ' ')}).status, 413);
}

TEST_F(Answer, UnknownCallsAndModelsAreRefused) {
  EXPECT_EQ(reply("nothing", Json::object()).status, 404);
  EXPECT_EQ(reply("../look", Json::object()).status, 404);
  const Json unknown = bad(400, "look", {{"text", "a"}, {"model", "../letters"}});
  EXPECT_EQ(unknown["field"], "model");
  EXPECT_EQ(unknown["expected"], "one of damaged, letters, absent");
  EXPECT_NE(bad(409, "look", {{"text", "a"}, {"model", "absent"}})["message"].get<std::string>().find("bring it"),
            std::string::npos);
  EXPECT_EQ(bad(400, "generate", {{"text", "a"}, {"model", "letters"}})["field"], "model");
  bad(409, "generate", {{"text", "a"}});
}

struct BadField {
  const char* call;
  const char* asked;
  const char* field;
};

class AnswerBad : public Answer, public testing::WithParamInterface<BadField> {};

TEST_P(AnswerBad, FieldIsNamed) {
  const BadField& c = GetParam();
  const Json error = bad(400, c.call, Json::parse(c.asked));
  EXPECT_EQ(error["field"], c.field) << error.dump();
}

INSTANTIATE_TEST_SUITE_P(
    All, AnswerBad,
    testing::Values(
        BadField{"look", R"({})", "text"}, BadField{"look", R"({"text": ""})", "text"},
        BadField{"look", R"({"text": "   "})", "text"}, BadField{"look", R"({"text": 7})", "text"},
        BadField{"look", R"({"text": "a", "layer": -1})", "layer"},
        BadField{"look", R"({"text": "a", "layer": 2})", "layer"},
        BadField{"look", R"({"text": "a", "head": 2})", "head"},
        BadField{"look", R"({"text": "a", "head": 1.5})", "head"},
        BadField{"look", R"({"text": "a", "layer": 18446744073709551615})", "layer"},
        BadField{"look", R"({"text": "a", "word": "z"})", "word"},
        BadField{"look", R"({"text": "a", "word": 1})", "word"},
        BadField{"look", R"({"text": "a a", "word": "a"})", "word"},
        BadField{"look", R"({"text": "a", "word": []})", "word"},
        BadField{"look", R"({"text": "a", "word": [["a"]]})", "word"},
        BadField{"look", R"({"text": "a b", "word": "a", "find": "b"})", "find"},
        BadField{"look", R"({"text": "a b", "find": "b"})", "find"},
        BadField{"look", R"({"text": "a b", "word": "b", "find": "a", "head": 0})", "find"},
        BadField{"look", R"({"text": "a", "mask": "both"})", "mask"},
        BadField{"look", R"({"text": "a", "temperature": 0})", "temperature"},
        BadField{"look", R"({"text": "a", "temperature": 21})", "temperature"},
        BadField{"look", R"({"text": "a", "pieces": "yes"})", "pieces"},
        BadField{"look", R"({"text": "a", "model": ""})", "model"},
        BadField{"look", R"({"text": "a", "extra": 1})", "extra"},
        BadField{"heads", R"({"text": "a b", "from": "a"})", "to"},
        BadField{"heads", R"({"text": "a", "from": "z", "to": "a"})", "word"},
        BadField{"thumbnails", R"({"text": "a", "side": 3})", "side"},
        BadField{"thumbnails", R"({"text": "a", "pool": "sum"})", "pool"},
        BadField{"grid", R"({"text": "a", "unit": "bytes"})", "unit"},
        BadField{"map", R"({"text": "a", "side": 2049})", "side"},
        BadField{"map", R"({"text": "abc", "region": [0, 1, 2]})", "region"},
        BadField{"map", R"({"text": "abc", "region": [1, 1, 0, 3]})", "region"},
        BadField{"map", R"({"text": "abc", "region": [0, 4, 0, 3]})", "region"},
        BadField{"map", R"({"text": "abc", "region": [-1, 3, 0, 3]})", "region[0]"},
        BadField{"preset", R"({})", "name"}, BadField{"preset", R"({"name": "other"})", "name"},
        BadField{"scaling", R"({"d_k": []})", "d_k"}, BadField{"scaling", R"({"d_k": [0]})", "d_k[0]"},
        BadField{"scaling", R"({"keys": 1})", "keys"}, BadField{"scaling", R"({"seed": -1})", "seed"},
        BadField{"tiles", R"({"text": "a", "tile": 0})", "tile"},
        BadField{"tiles", R"({"text": "a", "word": "z"})", "word"},
        BadField{"mistakes", R"({"text": "a", "mask": "causal"})", "mask"},
        BadField{"memory", R"({"tokens": [1048577]})", "tokens[0]"}, BadField{"memory", R"({"heads": 0})", "heads"},
        BadField{"speed", R"({"tokens": [15]})", "tokens[0]"}, BadField{"speed", R"({"mask": "model"})", "mask"},
        BadField{"recurrent", R"({"words": ["a"]})", "words"},
        BadField{"recurrent", R"({"words": ["a", ""]})", "words[1]"}, BadField{"class", R"({"seed": 1})", "seed"},
        BadField{"generate", R"({"text": "a", "max_tokens": 257})", "max_tokens"},
        BadField{"generate", R"({"text": "a", "top_p": 0})", "top_p"},
        BadField{"generate", R"({"text": "a", "top_p": 1.1})", "top_p"},
        BadField{"export", R"({"text": "a"})", "format"},
        BadField{"export", R"({"text": "a", "format": "exe"})", "format"}));

TEST_F(Answer, TextsBeyondALimitAreRefusedWithTheLimit) {
  std::string many, more;
  for (int n = 0; n < 300; ++n) many += "a b ";  // 1,200 tokens
  for (int n = 0; n < 2000; ++n) more += "a b ";
  EXPECT_EQ(bad(400, "grid", {{"text", many}})["expected"], "at most 512 tokens");
  for (const char* call : {"recipe", "tiles", "mistakes"}) {
    EXPECT_EQ(bad(400, call, {{"text", many}})["expected"], "at most 64 tokens") << call;
  }
  EXPECT_EQ(bad(400, "look", {{"text", many}, {"layer", 0}, {"head", 0}})["field"], "text") << "a grid of 600 words";
  EXPECT_EQ(bad(400, "look", {{"text", more}, {"word", 1}})["field"], "text") << "the model takes 6,000";
  good("look", {{"text", more}, {"word", 1}, {"cut", true}, {"layer", 0}, {"head", 0}});
  EXPECT_EQ(bad(400, "map", {{"text", many}})["field"], "layer") << "a choice of the head would take T x T";
  good("map", {{"text", many}, {"layer", 1}, {"head", 0}});
  const Json pooled = {{"text", more}, {"cut", true}, {"layer", 1}, {"head", 0}, {"side", 2048}};
  EXPECT_EQ(bad(400, "map", pooled)["expected"], "at most 512 where a cell pools several pairs");
  EXPECT_EQ(bad(400, "look", {{"text", std::string(262145, 'a')}})["field"], "text");
}

}  // namespace
}  // namespace limelight::studio
