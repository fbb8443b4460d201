// Every call of the contract, answered by a model made for the test.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "studio/spotlight_csv.h"
#include "studio/spotlight_json.h"
#include "studio/spotlight_svg.h"
#include "tests/apps/answer_fixture.h"

namespace limelight::studio {
namespace {

std::vector<float> floats(const Json& base64) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int held = 0;
  for (const char c : base64.get<std::string>()) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<uint32_t>(letters.find(c));
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push_back(static_cast<char>(bits >> held & 255));
  }
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(float));
  return numbers;
}

TEST_F(Answer, ModelsTellsWhatIsHere) {
  const Json json = good("models", Json::object());
  EXPECT_EQ(json["default_model"], "letters");
  EXPECT_EQ(json["models"][1]["layers"], 2);
  EXPECT_EQ(json["models"][1]["own_mask"], "causal");
  EXPECT_EQ(json["models"][2]["present"], false);
  for (const char* key : {"layers", "damage"}) EXPECT_TRUE(json["models"][2][key].is_null());
}

TEST_F(Answer, ModelsSaysWhichIsDamagedAndTellsTheOthersAllTheSame) {
  const Json damaged = good("models", Json::object())["models"][0];
  EXPECT_EQ(damaged["present"], true);
  EXPECT_EQ(damaged["damage"], "damaged/config.json: not JSON");
  for (const char* key : {"layers", "heads", "positions", "own_mask", "default_head"}) {
    EXPECT_TRUE(damaged[key].is_null());
  }
  EXPECT_EQ(bad(500, "look", {{"text", "a"}, {"model", "damaged"}})["message"], damaged["damage"]);
}

TEST(ModelShelf, TakesADamagedModelForTheUsualOneOnlyWhereNoneIsWhole) {
  std::vector<ShelfModel> models = letter_shelf().models();
  EXPECT_EQ(ModelShelf(models, "", 1).usual(), "letters");
  models.erase(models.begin() + 1);
  EXPECT_EQ(ModelShelf(models, "", 1).usual(), "damaged");
  models.erase(models.begin());
  EXPECT_EQ(ModelShelf(models, "", 1).usual(), std::nullopt);
}

TEST_F(Answer, LookHasTheNumbersOfTheCommandLine) {
  const LetterReader reader;
  for (const char* word : {"ab", "cd", "a:2"}) {
    const Json json = good("look", {{"text", "ab cd a b a"}, {"word", word}, {"layer", 1}, {"head", 0}});
    const Json printed =
        Json::parse(spotlight_json(spotlight(reader, "ab cd a b a", {.words = {word}, .layer = 1, .head = 0})));
    for (const auto& [key, value] : printed.items()) EXPECT_EQ(json[key], value) << key;
  }
}

TEST_F(Answer, LookTakesWordsBySpellingAndByIndex) {
  const Json spelt = good("look", {{"text", "ab cd a b a"}, {"word", "a:2"}});
  EXPECT_EQ(spelt, good("look", {{"text", "ab cd a b a"}, {"word", 4}}));
  const Json together = good("look", {{"text", "ab cd a b a"}, {"word", {"ab", 4}}});
  EXPECT_EQ(together["query"], (Json{{"word", "ab + a"}, {"index", 0}, {"indices", {0, 4}}}));
  double sum = together["special"];
  for (const Json& share : together["row"]) sum += share["weight"].get<double>();
  EXPECT_NEAR(sum, 1, 1e-6);
}

TEST_F(Answer, LookGivesGridsPiecesMasksAndTemperatures) {
  const Json grid = good("look", {{"text", "ab cd"}, {"layer", 0}, {"head", 1}});
  EXPECT_EQ(grid["grid"].size(), 2u);
  EXPECT_EQ(grid["grid"][0]["row"][1]["blocked_because"], "it comes later");
  EXPECT_EQ(good("grid", {{"text", "ab cd"}})["blocked_because"]["later"], "it comes later");
  EXPECT_EQ(good("look", {{"text", "ab cd"}, {"word", "cd"}, {"pieces", true}})["row"].size(), 4u);
  const Json hot = good("look", {{"text", "ab cd a"}, {"word", "a"}, {"temperature", 20}});
  const Json cold = good("look", {{"text", "ab cd a"}, {"word", "a"}, {"temperature", 0.05}});
  EXPECT_GT(hot["entropy"], cold["entropy"]);
  EXPECT_TRUE(hot["lse"].is_null());
  EXPECT_EQ(good("look", {{"text", "ab cd a"}, {"word", "cd"}, {"without_first", true}})["without_first"], true);
  EXPECT_NE(
      good("look", {{"text", "ab cd a"}, {"word", "cd"}, {"find", "ab"}})["chosen_by"].get<std::string>().find("ab"),
      std::string::npos);
}

TEST_F(Answer, HeadsAreRankedAndThoseOfABlockedWordSaySo) {
  const Json json = good("heads", {{"text", "ab cd a"}, {"from", "cd"}, {"to", 0}});
  ASSERT_EQ(json["heads"].size(), 4u);
  for (size_t n = 1; n < 4; ++n) EXPECT_GE(json["heads"][n - 1]["weight"], json["heads"][n]["weight"]);
  EXPECT_EQ(json["to"]["word"], "ab");
  const Json hidden = good("heads", {{"text", "ab cd a"}, {"from", "ab"}, {"to", "a"}});
  EXPECT_EQ(hidden["blocked"], true);
  for (const Json& head : hidden["heads"]) EXPECT_EQ(head["blocked"], true);
}

TEST_F(Answer, GridIsTheGridOfLookWithBlockedCellsAsNaN) {
  for (const double temperature : {1.0, 3.0}) {
    const Json asked = {{"text", "ab cd a<x>"}, {"layer", 1}, {"head", 1}, {"temperature", temperature}};
    const Json compact = good("grid", asked), look = good("look", asked);
    const std::vector<float> weights = floats(compact["weights"]), special = floats(compact["special"]);
    ASSERT_EQ(weights.size(), 9u);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(special[i], look["grid"][i]["special"].get<float>());
      for (size_t j = 0; j < 3; ++j) {
        const Json& share = look["grid"][i]["row"][j];
        EXPECT_EQ(std::isnan(weights[3 * i + j]), share["blocked"].get<bool>());
        if (!share["blocked"]) {
          EXPECT_EQ(weights[3 * i + j], share["weight"].get<float>());
        }
      }
    }
  }
  EXPECT_EQ(good("grid", {{"text", "ab<x>"}, {"unit", "tokens"}})["units"], (Json{"a", "b", "<x>"}));
}

TEST_F(Answer, MapPoolsTheRowsThatLookGives) {
  const Json asked = {{"text", "abcd dcba"}, {"layer", 0}, {"head", 1}};
  Json map_asked = asked;
  map_asked["side"] = 8;
  const Json map = good("map", map_asked);  // 9 tokens: the first cell pools two of them
  const std::vector<float> mean = floats(map["mean"]), most = floats(map["max"]), received = floats(map["received"]);
  Json grid_asked = asked;
  grid_asked["unit"] = "tokens";
  const std::vector<float> weights = floats(good("grid", grid_asked)["weights"]);
  std::vector<double> sum(64), live(64);
  std::vector<float> largest(64);
  double all = 0;
  for (size_t i = 0; i < 9; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      const size_t cell = i * 8 / 9 * 8 + j * 8 / 9;
      sum[cell] += weights[9 * i + j];
      live[cell] += 1;
      largest[cell] = std::max(largest[cell], weights[9 * i + j]);
      all += weights[9 * i + j];
    }
  }
  for (size_t cell = 0; cell < 64; ++cell) {
    ASSERT_EQ(std::isnan(mean[cell]), live[cell] == 0) << cell;
    if (live[cell] == 0) continue;
    EXPECT_NEAR(mean[cell], sum[cell] / live[cell], 1e-6);
    EXPECT_EQ(most[cell], largest[cell]);
  }
  double total = map["special_received"];
  for (const float word : received) total += word;
  EXPECT_NEAR(total, all, 1e-4);
  EXPECT_NEAR(all, 9, 1e-5);
}

TEST_F(Answer, MapOfARegionIsThatPartOfTheWhole) {
  const Json whole = good("map", {{"text", "abcd dcba"}, {"layer", 0}, {"head", 1}, {"side", 512}});
  const Json part =
      good("map", {{"text", "abcd dcba"}, {"layer", 0}, {"head", 1}, {"side", 512}, {"region", {2, 6, 1, 4}}});
  EXPECT_EQ(part["rows"], 4);
  EXPECT_EQ(part["columns"], 3);
  EXPECT_FALSE(part.contains("words"));
  const std::vector<float> all = floats(whole["mean"]), some = floats(part["mean"]);
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      const float expected = all[9 * (i + 2) + j + 1];
      EXPECT_TRUE(some[3 * i + j] == expected || (std::isnan(expected) && std::isnan(some[3 * i + j])));
    }
  }
}

TEST_F(Answer, MapHasACellForEachPairOf2048Tokens) {
  std::string text;
  for (int n = 0; n < 1024; ++n) text += "a ";
  const Json asked = {{"text", text}, {"layer", 0}, {"head", 1}};
  Json map_asked = asked, look_asked = asked;
  map_asked["side"] = 2048;
  look_asked["word"] = 1023;
  const Json map = good("map", map_asked);
  EXPECT_EQ(map["rows"], 2048);
  EXPECT_FALSE(map.contains("max")) << "the largest of one pair is its weight";
  const std::vector<float> cells = floats(map["mean"]);
  ASSERT_EQ(cells.size(), size_t{2048} * 2048);
  const Json look = good("look", look_asked);
  for (size_t word = 0; word < 1024; ++word) {
    const float* weight = &cells[2046 * 2048 + 2 * word];  // of "a", the spaces between are no words
    EXPECT_EQ(*weight, look["row"][word]["weight"].get<float>()) << word;
  }
  for (size_t i = 0; i < 2048; ++i) {
    for (size_t j = 0; j < 2048; ++j) ASSERT_EQ(std::isnan(cells[2048 * i + j]), j > i) << i << ", " << j;
  }
}

TEST_F(Answer, ThumbnailsShowEveryHeadByMaximumOrMean) {
  const Json asked = {{"text", "abcd dcba"}, {"side", 4}};
  const Json most = good("thumbnails", asked);
  Json mean_asked = asked;
  mean_asked["pool"] = "mean";
  const std::vector<float> maxima = floats(most["cells"]), means = floats(good("thumbnails", mean_asked)["cells"]);
  ASSERT_EQ(maxima.size(), 2u * 2 * 4 * 4);
  for (size_t n = 0; n < maxima.size(); ++n) {
    const bool blocked = n % 4 > n / 4 % 4;
    EXPECT_EQ(std::isnan(maxima[n]), blocked) << n;
    if (!blocked) {
      EXPECT_LE(means[n], maxima[n] + 1e-6f);
    }
  }
}

TEST_F(Answer, PresetsShowTheLessonsFigures) {
  const Json json = good("preset", {{"name", "pronoun"}});
  const Json row = json["percent"][7];
  EXPECT_EQ(row[1], 76.0);
  EXPECT_EQ(row[10], 15.0);
  double others = 0;
  for (const size_t n : {0, 2, 3, 4, 5, 6, 7, 8, 9}) others += row[n].get<double>();
  EXPECT_NEAR(others, 9, 1e-9);
  EXPECT_EQ(json["sum"], "it = 0.76 animal + 0.15 tired + 0.09 others");
  EXPECT_EQ(good("preset", {{"name", "causal"}})["percent"], (Json{{100.0, nullptr, nullptr, nullptr},
                                                                   {30.0, 70.0, nullptr, nullptr},
                                                                   {10.0, 65.0, 25.0, nullptr},
                                                                   {5.0, 35.0, 45.0, 15.0}}));
  EXPECT_EQ(good("preset", {{"name", "animal_street"}})["percent"][7][1], 85.0);
}

TEST_F(Answer, RecipeTilesAndMistakesAgreeOnTheSentence) {
  const Json asked = {{"text", "ab cd a"}, {"layer", 1}, {"head", 1}};
  const Json recipe = good("recipe", asked);
  Json tiles_asked = asked;
  tiles_asked["tile"] = 2;
  const Json tiles = good("tiles", tiles_asked), mistakes = good("mistakes", asked);
  const size_t query = tiles["query"]["token"];
  std::vector<double> weights;
  for (const Json& step : tiles["trace"]) {
    for (const Json& weight : step["weights"]) weights.push_back(weight.is_null() ? -1 : weight.get<double>());
  }
  ASSERT_EQ(weights.size(), recipe["tokens"].size());
  for (size_t j = 0; j < weights.size(); ++j) {
    const Json& expected = recipe["steps"]["weights"][query][j];
    EXPECT_NEAR(weights[j], expected.is_null() ? -1 : expected.get<double>(), 1e-6);
  }
  EXPECT_LT(tiles["difference"], 1e-5);
  EXPECT_EQ(mistakes["mistakes"][0]["right"]["grid"], recipe["steps"]["weights"]);
  EXPECT_LT(mistakes["mistakes"][0]["figures"]["smallest_row_sum"], 0.999);
}

TEST_F(Answer, ExperimentsFitTheContract) {
  EXPECT_EQ(good("scaling", Json::object())["rows"].size(), 5u);
  EXPECT_EQ(good("memory", {{"tokens", {100000}}})["rows"][0]["pairs"], 10000000000);
  EXPECT_EQ(good("recurrent", Json::object())["words"].size(), 11u);
  const Json lesson = good("class", Json::object());
  EXPECT_LT(lesson["causal"]["golden_difference"], 1e-6);
  EXPECT_LT(lesson["full"]["golden_difference"], 1e-6);
  EXPECT_EQ(lesson["causal"]["rounded"][1], (Json{"0.70", "0.30", nullptr, nullptr}));
  const std::string cpp = lesson["cpp"];
  for (const char* part : {"SelfAttention head(", "forward(read<3>", "SelfAttention::forward(", "options.causal"}) {
    EXPECT_NE(cpp.find(part), std::string::npos) << part;
  }
  EXPECT_LT(std::count(cpp.begin(), cpp.end(), '\n'), 50) << "the few lines that matter";
  EXPECT_NE(lesson["pytorch"].get<std::string>().find("class OneHead"), std::string::npos);
}

TEST_F(Answer, SpeedTellsEachLengthAsItIsThere) {
  std::vector<Json> parts;
  Listener listener;
  listener.part = [&](const std::string& json) { parts.push_back(Json::parse(json)); };
  const Reply got = reply("speed", {{"tokens", {16, 32}}}, listener);
  ASSERT_EQ(got.status, 200) << got.body;
  const Json json = Json::parse(got.body);
  expect_fits("speed.response", json);
  ASSERT_EQ(parts.size(), 2u);
  for (size_t n = 0; n < 2; ++n) {
    expect_fits("speed.part", parts[n]);
    EXPECT_EQ(parts[n], json["rows"][n]);
  }
}

TEST_F(Answer, ExportsAreFilesOfTheView) {
  const Spotlight light = spotlight(LetterReader(), "ab cd <a>", {.words = {"cd"}});
  const auto content = [&](const char* format) {
    const Json json = good("export", {{"text", light.text}, {"word", "cd"}, {"format", format}});
    EXPECT_EQ(json["name"].get<std::string>().find('/'), std::string::npos);
    return json["content"].get<std::string>();
  };
  EXPECT_EQ(content("svg"), spotlight_svg(light));
  EXPECT_EQ(content("csv"), spotlight_csv(light));
  EXPECT_EQ(content("json"), spotlight_json(light));
  const std::string page = content("html"), start = "id=\"limelight-data\">";
  const size_t data = page.find(start) + start.size();
  ASSERT_LT(data, page.size());
  EXPECT_EQ(Json::parse(page.substr(data, page.find("</script>", data) - data))["look"], look_object(light));
}

TEST_F(Answer, AFileSaysWhichWordsAndWhichTemperatureItIsOf) {
  for (const std::string format : {"html", "svg", "csv", "json"}) {
    const Json json =
        good("export", {{"text", "ab cd a"}, {"word", {"ab", "cd"}}, {"temperature", 0.3}, {"format", format}});
    const std::string content = json["content"];
    EXPECT_NE(content.find("ab + cd"), std::string::npos) << format;
    const std::string name = json["name"];
    EXPECT_NE((format == "csv" ? name : content).find("0.3"), std::string::npos) << format;
    EXPECT_NE(name.find("temperature0.3"), std::string::npos);
  }
  const Json grid = {{"text", "ab cd a"}, {"format", "html"}, {"pin", 2}};
  EXPECT_NE(good("export", grid)["content"].get<std::string>().find("\"pin\":2"), std::string::npos);
}

TEST_F(Answer, TokenTextIsLiteralWhateverItHolds) {
  const std::string text = "<img src=x onerror=1> \"' & </script> \x1b[31m \u202e a";
  const Json json = good("look", {{"text", text}, {"word", "a"}});
  EXPECT_EQ(json["text"], text);
  const Json page = good("export", {{"text", text}, {"word", "a"}, {"format", "html"}});
  EXPECT_EQ(page["content"].get<std::string>().find("<img"), std::string::npos);
}

TEST_F(Answer, WorkStopsWhenItIsAskedTo) {
  Listener listener;
  listener.progress = [](double) { return false; };
  for (const Json& asked : {Json{{"text", "ab cd"}}, Json{{"text", "ab cd"}, {"word", "ab"}}}) {
    EXPECT_EQ(reply("look", asked, listener).status, 499);
  }
  EXPECT_EQ(reply("map", {{"text", "ab"}}, listener).status, 499);
  EXPECT_EQ(reply("speed", {{"tokens", {8192}}}, listener).status, 499);
  EXPECT_EQ(reply("scaling", Json::object(), listener).status, 499);
}

TEST_F(Answer, ProgressNeverFalls) {
  std::vector<double> told;
  Listener listener;
  listener.progress = [&](double done) {
    told.push_back(done);
    return true;
  };
  reply("map", {{"text", "ab cd"}}, listener);
  ASSERT_FALSE(told.empty());
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_LE(told.back(), 1);
}

}  // namespace
}  // namespace limelight::studio
