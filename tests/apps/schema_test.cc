// The validator against the words of JSON Schema it knows, and the contract against itself.
#include "studio/schema.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace limelight::studio {
namespace {

using Json = nlohmann::ordered_json;

std::optional<Mismatch> judge(const char* rule, const char* value) {
  const Schema schema(std::string(R"({"$defs": {"number": {"type": "number"}, "it": )") + rule + "}}");
  return schema.mismatch("it", Json::parse(value));
}

struct Case {
  const char* rule;
  const char* fits;
  const char* does_not;
};

class SchemaWord : public testing::TestWithParam<Case> {};

TEST_P(SchemaWord, TakesWhatFitsAndRefusesWhatDoesNot) {
  const Case& c = GetParam();
  EXPECT_FALSE(judge(c.rule, c.fits)) << c.rule;
  const auto wrong = judge(c.rule, c.does_not);
  ASSERT_TRUE(wrong) << c.rule;
  EXPECT_FALSE(wrong->expected.empty());
  EXPECT_FALSE(wrong->found.empty());
}

INSTANTIATE_TEST_SUITE_P(
    All, SchemaWord,
    testing::Values(Case{R"({"type": "integer"})", "3", "3.5"}, Case{R"({"type": "integer"})", "-3", "\"3\""},
                    Case{R"({"type": "number"})", "3.5", "null"}, Case{R"({"type": "boolean"})", "true", "1"},
                    Case{R"({"type": ["string", "null"]})", "null", "1"}, Case{R"({"type": "object"})", "{}", "[]"},
                    Case{R"({"type": "integer", "minimum": 2, "maximum": 5})", "2", "1"},
                    Case{R"({"type": "integer", "minimum": 2, "maximum": 5})", "5", "6"},
                    Case{R"({"type": "integer", "minimum": 0})", "0", "-9223372036854775808"},
                    Case{R"({"type": "integer", "maximum": 5})", "5", "18446744073709551615"},
                    Case{R"({"type": "number", "exclusiveMinimum": 0})", "0.1", "0"},
                    Case{R"({"type": "string", "minLength": 1})", "\"a\"", "\"\""},
                    Case{R"({"type": "string", "maxLength": 2})", "\"éé\"", "\"abc\""},
                    Case{R"({"enum": ["a", null]})", "null", "\"b\""},
                    Case{R"({"type": "array", "minItems": 1, "maxItems": 2})", "[1]", "[]"},
                    Case{R"({"type": "array", "maxItems": 2})", "[1, 2]", "[1, 2, 3]"},
                    Case{R"({"type": "array", "items": {"$ref": "#/$defs/number"}})", "[1, 2]", "[1, \"2\"]"},
                    Case{R"({"anyOf": [{"type": "string"}, {"type": "integer"}]})", "1", "1.5"},
                    Case{R"({"properties": {"a": {}}, "required": ["a"]})", R"({"a": 1})", "{}"},
                    Case{R"({"properties": {"a": {"type": "integer"}}})", R"({"b": 1})", R"({"a": "b"})"},
                    Case{R"({"properties": {"a": {}}, "additionalProperties": false})", R"({"a": 1})", R"({"b": 1})"}));

TEST(Schema, NamesTheFieldByItsPath) {
  const auto wrong = judge(R"({"properties": {"a": {"items": {"type": "integer"}}}})", R"({"a": [1, 2, "x"]})");
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->field, "a[2]");
  EXPECT_EQ(wrong->expected, "a whole number");
  EXPECT_EQ(wrong->found, "\"x\"");
}

TEST(Schema, ShowsNoMoreOfAValueThanALineTakes) {
  const auto wrong = judge(R"({"type": "integer"})", ("\"" + std::string(10000, 'x') + "\"").c_str());
  EXPECT_LT(wrong->found.size(), 70u);
}

TEST(ApiSchema, EveryRequestHasItsResponseAndRefusesOtherFields) {
  for (const char* call : {"models", "look", "heads", "thumbnails", "grid", "map", "preset", "recipe", "scaling",
                           "tiles", "mistakes", "memory", "speed", "recurrent", "class", "generate", "export"}) {
    const std::string name = call;
    EXPECT_TRUE(api_schema().mismatch(name + ".request", {{"no_such_field", 1}})) << name;
    EXPECT_TRUE(api_schema().mismatch(name + ".response", nullptr)) << name;
  }
}

}  // namespace
}  // namespace limelight::studio
