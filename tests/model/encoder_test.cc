// What running an encoder promises, whatever its weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "limelight/error.h"
#include "limelight/lens.h"
#include "tests/model/thrown.h"
#include "tests/model/tiny_bert.h"

namespace limelight::testing {
namespace {

const Encoder& tiny() {
  static const Encoder encoder = Encoder::load(std::filesystem::path(LIMELIGHT_GOLDEN) / "tiny" / "bert");
  return encoder;
}

bool same_bits(const Tensor<float, 2>& a, const Tensor<float, 2>& b, int64_t rows) {
  return std::memcmp(a.data(), b.data(), sizeof(float) * static_cast<size_t>(rows * a.sizes()[1])) == 0;
}

std::string ids_error(const std::vector<int32_t>& ids) {
  return thrown<std::invalid_argument>([&] { tiny().forward(ids); });
}

TEST(Encoder, SameBitsForAnyThreadCount) {
  std::vector<int32_t> ids(40);
  std::iota(ids.begin(), ids.end(), 3);
  const auto with_threads = [&](int threads) {
    EncoderOptions options;
    options.run.threads = threads;
    return tiny().forward(ids, options);
  };
  const auto one = with_threads(1);
  for (int threads : {2, 3, 7}) EXPECT_TRUE(same_bits(one, with_threads(threads), 40)) << threads;
}

TEST(Encoder, ObserverChangesNoBit) {
  const auto ids = tiny_ids("bert", 0);
  EncoderOptions options;
  int layers = 0;
  options.observer = [&](const LayerAttention&) { ++layers; };
  EXPECT_TRUE(same_bits(tiny().forward(ids), tiny().forward(ids, options), 11));
  EXPECT_EQ(layers, 2);
}

TEST(Encoder, ObserverSeesWhatTheLensNeeds) {
  EncoderOptions options;
  options.observer = [](const LayerAttention& layer) {
    const auto lens = look(layer.q, layer.k, layer.options, {.rows = {0, -1}});
    for (int64_t h = 0; h < 4; ++h) {
      for (int64_t row : {0, 1}) {
        double sum = 0;
        for (int64_t j = 0; j < 11; ++j) sum += static_cast<double>(lens.rows(0, h, row, j));
        EXPECT_NEAR(sum, 1, 1e-6);
      }
    }
  };
  tiny().forward(tiny_ids("bert", 0), options);
}

TEST(Encoder, CausalTokenDoesNotSeeWhatFollows) {
  EncoderOptions options;
  options.causal = Causal::kBottomRight;
  Causal seen = Causal::kNone;
  options.observer = [&](const LayerAttention& layer) { seen = layer.options.causal; };
  auto ids = tiny_ids("bert", 0);
  const auto before = tiny().forward(ids, options);
  EXPECT_EQ(seen, Causal::kBottomRight);
  ids[7] = ids[7] == 5 ? 6 : 5;
  const auto after = tiny().forward(ids, options);
  EXPECT_TRUE(same_bits(before, after, 7));
  EXPECT_NE(before(7, 0), after(7, 0));
  EXPECT_NE(before(10, 0), after(10, 0));
}

TEST(Encoder, EmbeddingIsTheMeanOfUnitLength) {
  const auto ids = tiny_ids("bert", 1);
  const auto hidden = tiny().forward(ids);
  const auto embedding = tiny().embed(ids);
  std::vector<double> mean(32);
  double length = 0, squares = 0;
  for (int64_t c = 0; c < 32; ++c) {
    for (int64_t t = 0; t < 11; ++t) mean[static_cast<size_t>(c)] += static_cast<double>(hidden(t, c)) / 11;
    length += mean[static_cast<size_t>(c)] * mean[static_cast<size_t>(c)];
    squares += static_cast<double>(embedding(c)) * static_cast<double>(embedding(c));
  }
  EXPECT_NEAR(squares, 1, 1e-6);
  for (int64_t c = 0; c < 32; ++c) {
    EXPECT_NEAR(embedding(c), mean[static_cast<size_t>(c)] / std::sqrt(length), 1e-7);
  }
}

TEST(Encoder, TheFoldersPoolingIsObeyedOrRefusedByName) {
  const TinyBert bert;
  std::filesystem::create_directory(bert.path() / "1_Pooling");
  const auto config = bert.path() / "1_Pooling" / "config.json";
  const auto load = [&](const std::string& text) {
    write_text(config, text);
    return bert.load();
  };
  const auto ids = tiny_ids("bert", 1);
  const auto mean = tiny().embed(ids);
  const auto told = load(R"({"pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true})").embed(ids);
  EXPECT_TRUE(std::equal(told.data(), told.data() + 32, mean.data()));

  const auto hidden = tiny().forward(ids);
  const auto first = load(R"({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false})").embed(ids);
  double length = 0;
  for (int64_t c = 0; c < 32; ++c) length += std::pow(static_cast<double>(hidden(0, c)), 2);
  for (int64_t c = 0; c < 32; ++c) EXPECT_NEAR(first(c), hidden(0, c) / std::sqrt(length), 1e-6);

  const auto refusal = [&](const std::string& text) {
    const Encoder encoder = load(text);
    EXPECT_NO_THROW(encoder.forward(ids)) << "it is the embedding's alone";
    return thrown<FormatError>([&] { encoder.embed(ids); });
  };
  const std::string expected = config.string() + ": pooling mode: expected mean_tokens or cls_token, found ";
  EXPECT_EQ(refusal(R"({"pooling_mode_max_tokens": true})"), expected + "'max_tokens'");
  EXPECT_EQ(refusal(R"({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true})"),
            expected + "'cls_token and mean_tokens'");
  EXPECT_EQ(refusal(R"({"pooling_mode": "lasttoken"})"), expected + "'lasttoken'");
  EXPECT_EQ(refusal("{}"), expected + "none");
}

TEST(Encoder, TokensAreCountedAndKnown) {
  EXPECT_EQ(ids_error({}), "[encoder] ids: expected at least 1 token, found 0");
  EXPECT_EQ(ids_error(std::vector<int32_t>(41, 1)), "[encoder] ids: text has 41 tokens, the model takes 40");
  EXPECT_EQ(tiny().forward(std::vector<int32_t>(40, 1)).sizes(), (std::array<int64_t, 2>{40, 32}));
  EXPECT_EQ(tiny().forward(std::vector<int32_t>{95}).sizes(), (std::array<int64_t, 2>{1, 32}));
  EXPECT_NE(ids_error({1, 96}), "(nothing was thrown)");
  EXPECT_NE(ids_error({1, -1}), "(nothing was thrown)");
}

TEST(Encoder, GeluFormsDiffer) {
  const TinyBert bert;
  bert.edit_config([](nlohmann::json& config) { config["hidden_act"] = "gelu_new"; });
  const auto ids = tiny_ids("bert", 0);
  const auto erf = tiny().forward(ids), tanh = bert.load().forward(ids);
  double most = 0;
  for (int64_t i = 0; i < erf.count(); ++i) {
    most = std::max(most, static_cast<double>(std::abs(erf.data()[i] - tanh.data()[i])));
  }
  EXPECT_GT(most, 1e-5);
  EXPECT_LT(most, 1e-2);
}

TEST(Encoder, ProgressRisesToOneAndStops) {
  EncoderOptions options;
  double last = 0;
  options.run = {1, [&](double share) {
                   EXPECT_GE(share, last);
                   last = share;
                   return true;
                 }};
  tiny().forward(tiny_ids("bert", 0), options);
  EXPECT_DOUBLE_EQ(last, 1);
  options.run.progress = [](double share) { return share < 0.5; };
  EXPECT_THROW(tiny().forward(tiny_ids("bert", 0), options), Cancelled);
}

TEST(Encoder, FolderWithoutTokenizerStillRunsIds) {
  const TinyBert bert;
  const Encoder encoder = bert.load();
  EXPECT_EQ(thrown<FormatError>([&] { encoder.tokenizer(); }),
            (bert.path() / "tokenizer.json").string() + ": is missing; without it only ids can be run");
  write_text(bert.path() / "tokenizer.json", "{");
  EXPECT_THROW(bert.load(), FormatError);
}

TEST(Encoder, MissingFolderOrFileIsNamed) {
  const TinyBert bert;
  const auto none = bert.path() / "none";
  EXPECT_TRUE(thrown<FileError>([&] { Encoder::load(none); }).starts_with((none / "config.json").string()));
  std::filesystem::remove(bert.weights());
  EXPECT_EQ(thrown<FileError>([&] { bert.load(); }), bert.weights() + ": cannot read: No such file or directory");
}

// Every weight is finite, and their products are not.
TEST(Encoder, AResultThatIsNotFiniteIsRefused) {
  TinyBert bert;
  bert.edit_tensors([](TinyCheckpoint::Entry& entry) { std::fill(entry.values.begin(), entry.values.end(), 3e38f); });
  const Encoder encoder = bert.load();
  try {
    encoder.forward(tiny_ids("bert", 0));
    FAIL() << "no error";
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("not finite"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace limelight::testing
