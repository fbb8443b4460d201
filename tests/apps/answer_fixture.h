// A studio whose only model is made for tests, and replies held against the contract.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "studio/answer.h"
#include "studio/schema.h"
#include "tests/apps/letters.h"

namespace limelight::studio {

using Json = nlohmann::ordered_json;

class Answer : public testing::Test {
 protected:
  Reply reply(const std::string& call, const Json& asked, const Listener& listener = {}) {
    return answer(studio_, {call, asked.dump()}, listener);
  }

  // A response that fits the contract.
  Json good(const std::string& call, const Json& asked) {
    const Reply got = reply(call, asked);
    EXPECT_EQ(got.status, 200) << call << " " << got.body;
    Json json = Json::parse(got.body);
    if (got.status == 200) expect_fits(call + ".response", json);
    return json;
  }

  // The error, which fits the contract too.
  Json bad(int status, const std::string& call, const Json& asked) {
    const Reply got = reply(call, asked);
    EXPECT_EQ(got.status, status) << call << " " << asked.dump().substr(0, 200) << " " << got.body.substr(0, 300);
    const Json json = Json::parse(got.body);
    expect_fits("error", json);
    const std::string message = json["error"]["message"];
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_EQ(message.find(" --"), std::string::npos) << message << ": the program's option, not a field";
    EXPECT_FALSE(message.starts_with('[')) << message;
    return json["error"];
  }

  static void expect_fits(const std::string& definition, const Json& json) {
    const auto wrong = api_schema().mismatch(definition, json);
    EXPECT_FALSE(wrong) << definition << ": " << wrong->field << ": expected " << wrong->expected << ", found "
                        << wrong->found;
  }

  Studio studio_{letter_shelf()};
};

}  // namespace limelight::studio
