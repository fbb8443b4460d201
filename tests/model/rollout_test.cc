// Laws of attention rollout, on random encoders and golden decoders.
#include "limelight/rollout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>

#include "limelight/error.h"
#include "limelight/lens.h"
#include "tests/model/thrown.h"
#include "tests/model/tiny_decoder.h"
#include "tests/model/tiny_encoder.h"

namespace limelight::testing {
namespace {

const std::vector<int32_t> kIds = {1, 5, 2, 7, 3, 3, 9};

using Matrix = std::vector<std::vector<double>>;

// (I + mean over heads of the whole rows) / 2, by the lens.
Matrix mixing(const LayerAttention& layer) {
  const int64_t tokens = layer.q.sizes[2], heads = layer.q.sizes[1];
  LensRequest request;
  request.rows.resize(static_cast<size_t>(tokens));
  std::iota(request.rows.begin(), request.rows.end(), int64_t{0});
  const LensResult lens = look(layer.q, layer.k, layer.options, request);
  Matrix w(static_cast<size_t>(tokens), std::vector<double>(static_cast<size_t>(tokens)));
  for (int64_t i = 0; i < tokens; ++i) {
    for (int64_t j = 0; j < tokens; ++j) {
      double sum = 0;
      for (int64_t h = 0; h < heads; ++h) sum += lens.rows(0, h, i, j);
      w[static_cast<size_t>(i)][static_cast<size_t>(j)] = 0.5 * (i == j) + 0.5 * sum / static_cast<double>(heads);
    }
  }
  return w;
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(a.size(), std::vector<double>(a.size()));
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t k = 0; k < a.size(); ++k) {
      for (size_t j = 0; j < a.size(); ++j) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

struct Seen {
  Rollout rollout;
  Matrix whole;  // all T x T products, for these few tokens

  AttentionObserver observer() {
    return [this, keep = rollout.observer()](const LayerAttention& layer) {
      keep(layer);
      whole = whole.empty() ? mixing(layer) : product(mixing(layer), whole);
    };
  }

  void expect_rows() const {
    for (size_t i = 0; i < whole.size(); ++i) {
      const std::vector<float> row = rollout.from(static_cast<int64_t>(i));
      ASSERT_EQ(row.size(), whole.size());
      for (size_t j = 0; j < row.size(); ++j) EXPECT_NEAR(row[j], whole[i][j], 1e-6) << i << ", " << j;
      EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-6);
    }
  }
};

void read(const Encoder& encoder, const AttentionObserver& observer) {
  EncoderOptions options;
  options.observer = observer;
  encoder.forward(kIds, options);
}

TEST(Rollout, IsTheRowOfTheProductOfAllLayers) {
  for (const char* architecture : {"bert", "distilbert", "roberta"}) {
    SCOPED_TRACE(architecture);
    Seen seen;
    read(TinyEncoder(architecture).load(), seen.observer());
    EXPECT_GT(seen.rollout.layers(), 1);
    seen.expect_rows();
  }
}

TEST(Rollout, OfADecoderSeesNothingLater) {
  for (const char* name : {"gpt2", "llama"}) {
    SCOPED_TRACE(name);
    Seen seen;
    DecoderOptions options;
    options.observer = seen.observer();
    const std::vector<int32_t> ids = tiny_ids(name, 0);
    logits_of(TinyDecoder(name).load(), ids, options);
    seen.expect_rows();
    const std::vector<float> row = seen.rollout.from(4);
    for (size_t j = 5; j < row.size(); ++j) EXPECT_EQ(row[j], 0);
  }
}

TEST(Rollout, SameBitsForAnyThreadCount) {
  Rollout rollout;
  read(TinyEncoder("bert").load(), rollout.observer());
  const std::vector<float> row = rollout.from(-1, {.threads = 1});
  for (const int threads : {2, 3, 7}) EXPECT_EQ(rollout.from(-1, {.threads = threads}), row);
  EXPECT_EQ(rollout.from(static_cast<int64_t>(kIds.size()) - 1), row);
}

TEST(Rollout, ProgressRisesToOneOverAllLayersAndStops) {
  Rollout rollout;
  read(TinyEncoder("bert").load(), rollout.observer());
  double last = 0;
  rollout.from(-1, {.progress = [&](double share) {
    EXPECT_GE(share, last);
    last = share;
    return true;
  }});
  EXPECT_DOUBLE_EQ(last, 1);
  EXPECT_THROW(rollout.from(-1, {.progress = [](double share) { return share < 0.5; }}), Cancelled);
}

TEST(Rollout, ASecondPassTakesTheFirstOnesPlaceWhateverItsLength) {
  const Encoder encoder = TinyEncoder("bert").load();
  Rollout alone, again;
  EncoderOptions options;
  options.observer = alone.observer();
  encoder.forward(kIds, options);
  options.observer = again.observer();
  for (const size_t tokens : {4, 3, 7}) encoder.forward(std::span(kIds).first(tokens), options);
  EXPECT_EQ(again.layers(), encoder.config().layers);
  EXPECT_EQ(again.from(-1), alone.from(-1));
}

TEST(Rollout, APieceOfATextIsRefused) {
  const Decoder decoder = TinyDecoder("llama").load();
  const std::vector<int32_t> ids = tiny_ids("llama", 0);
  DecoderCache cache(decoder.config(), 11);
  decoder.forward(std::span(ids).first(8), cache);
  Rollout rollout;
  DecoderOptions options;
  options.observer = rollout.observer();
  EXPECT_EQ(thrown<std::invalid_argument>([&] { decoder.forward(std::span(ids).subspan(8), cache, options); }),
            "[rollout] layer 0: expected one text, in one piece, without masks, found 3 queries on 11 keys");
}

TEST(Rollout, TokensThatAreNotThereAreRefused) {
  Rollout rollout;
  EXPECT_EQ(thrown<std::invalid_argument>([&] { rollout.from(0); }),
            "[rollout] token: expected a pass of a model before, found none");
  read(TinyEncoder("bert").load(), rollout.observer());
  EXPECT_EQ(thrown<std::invalid_argument>([&] { rollout.from(7); }), "[rollout] token: expected -7 to 6, found 7");
  EXPECT_EQ(thrown<std::invalid_argument>([&] { rollout.from(-8); }), "[rollout] token: expected -7 to 6, found -8");
}

TEST(Rollout, ABatchIsRefused) {
  Rollout rollout;
  EncoderOptions options;
  options.observer = rollout.observer();
  TokenBatch batch(kIds);
  batch.add(kIds);
  EXPECT_EQ(thrown<std::invalid_argument>([&] { TinyEncoder("bert").load().forward(batch, options); }),
            "[rollout] layer 0: expected one text, in one piece, without masks, found 14 queries on 14 keys");
}

}  // namespace
}  // namespace limelight::testing
