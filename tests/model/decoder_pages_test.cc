// Keys and values in pages give the bits of those in one block; pages come, go and run out.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "limelight/error.h"
#include "tests/model/thrown.h"
#include "tests/model/tiny_decoder.h"

namespace limelight::testing {
namespace {

class Paged : public ::testing::TestWithParam<const char*> {
 protected:
  DecoderPages pages(int64_t count, int64_t page_tokens) const { return {decoder_.config(), count, page_tokens}; }

  const Decoder decoder_ = tiny_decoder(GetParam());
  const std::vector<int32_t> ids_ = some_ids(40);
  const Tensor<float, 2> whole_ = logits_of(decoder_, ids_);
};

INSTANTIATE_TEST_SUITE_P(Models, Paged, ::testing::Values("gpt2", "llama", "llama_scaled", "window"),
                         [](const auto& name) { return std::string(name.param); });

// All ids, `cut` of them a call, against the rows of one call over a contiguous cache.
void expect_whole(const Decoder& decoder, std::span<const int32_t> ids, const Tensor<float, 2>& whole, size_t cut,
                  DecoderCache& cache, const DecoderOptions& options = {}) {
  for (auto t = static_cast<size_t>(cache.length()); t < ids.size(); t += cut) {
    const auto next = ids.subspan(t, std::min(cut, ids.size() - t));
    const auto logits = decoder.forward(next, cache, options);
    EXPECT_TRUE(same_bits(logits, rows_of(whole, static_cast<int64_t>(t), logits.sizes()[0]))) << t;
  }
}

TEST_P(Paged, SameBitsForAnyPageSizeCutAndThreadCount) {
  for (const int64_t page_tokens : {1, 3, 7, 39, 64}) {
    for (const size_t cut : {1, 3, 7, 40}) {
      for (const int threads : {1, 2, 7}) {
        SCOPED_TRACE(std::to_string(page_tokens) + " a page, " + std::to_string(cut) + " a call");
        const DecoderPages room = pages(41, page_tokens);
        DecoderCache cache(room);
        expect_whole(decoder_, ids_, whole_, cut, cache, {.run = {.threads = threads}});
        EXPECT_EQ(cache.length(), 40);
        EXPECT_EQ(room.free_pages(), 41 - (40 + page_tokens - 1) / page_tokens);
      }
    }
  }
}

TEST_P(Paged, TruncatedTokensAreForgottenAndOthersFollow) {
  auto others = ids_;
  for (size_t t = 10; t < others.size(); ++t) others[t] = (others[t] + 5) % 96;
  const auto expected = logits_of(decoder_, others);
  for (const int64_t page_tokens : {1, 4, 7, 64}) {
    const DecoderPages room = pages(40, page_tokens);
    DecoderCache cache(room);
    expect_whole(decoder_, ids_, whole_, 40, cache);
    cache.truncate(10);
    EXPECT_EQ(room.free_pages(), 40 - (10 + page_tokens - 1) / page_tokens);
    expect_whole(decoder_, others, expected, 7, cache);
    cache.truncate(0);
    EXPECT_EQ(room.free_pages(), 40);
    expect_whole(decoder_, ids_, whole_, 40, cache);
  }
}

// The first cache leaves holes, so that the second has its pages in another order.
TEST_P(Paged, PagesGivenBackAreTakenAgainInAnyOrder) {
  const DecoderPages room = pages(15, 4);
  std::optional<DecoderCache> first(std::in_place, room), second(std::in_place, room);
  for (size_t t = 0; t < 20; t += 5) {
    decoder_.forward(std::span(ids_).subspan(t, 5), *first);
    decoder_.forward(std::span(ids_).subspan(t, 5), *second);
  }
  EXPECT_EQ(room.free_pages(), 5);
  first->truncate(6);
  EXPECT_EQ(room.free_pages(), 8);
  expect_whole(decoder_, ids_, whole_, 3, *second);
  EXPECT_EQ(room.free_pages(), 3);
  first.reset();
  EXPECT_EQ(room.free_pages(), 5);
  DecoderCache third(room);
  expect_whole(decoder_, std::span(ids_).first(20), whole_, 20, third);
  EXPECT_EQ(room.free_pages(), 0);
  third = std::move(*second);
  EXPECT_EQ(room.free_pages(), 5);
  EXPECT_EQ(third.length(), 40);
}

// NaN in every slot of a layer, of keys and values, that holds no token of the call's sequences.
void spoil_the_rest(const LayerAttention& layer) {
  const auto lengths = *layer.options.key_lengths;
  const auto table = *layer.options.block_table;
  const int64_t page_tokens = layer.k.sizes[2];
  std::set<std::pair<int64_t, int64_t>> used;
  for (int64_t s = 0; s < lengths.sizes[0]; ++s) {
    for (int64_t j = 0; j < lengths(s); ++j) used.emplace(table(s, j / page_tokens), j % page_tokens);
  }
  int64_t spoilt = 0;
  for (const auto& view : {layer.k, layer.v}) {
    for (int64_t i = 0; i < view.count(); ++i) {
      const int64_t row = i / view.sizes[3], slot = row / view.sizes[1];
      if (used.contains({slot / page_tokens, slot % page_tokens})) continue;
      const float& x = view(slot / page_tokens, row % view.sizes[1], slot % page_tokens, i % view.sizes[3]);
      const_cast<float&>(x) = std::numeric_limits<float>::quiet_NaN();
      ++spoilt;
    }
  }
  EXPECT_GT(spoilt, 0);
}

TEST_P(Paged, SlotsOutOfUseCannotBeObserved) {
  for (const int64_t page_tokens : {1, 7, 64}) {
    const DecoderPages room = pages(45, page_tokens);
    DecoderCache cache(room);
    DecoderOptions options;
    options.observer = spoil_the_rest;
    expect_whole(decoder_, ids_, whole_, 7, cache, options);
    cache.truncate(9);
    expect_whole(decoder_, ids_, whole_, 1, cache, options);
  }
}

TEST_P(Paged, RunningOutIsOneErrorWithTheCacheAsItWas) {
  const DecoderPages room = pages(5, 4);
  DecoderCache cache(room), other(room);
  EXPECT_EQ(cache.capacity(), decoder_.config().positions);
  decoder_.forward(std::span(ids_).first(6), cache);
  decoder_.forward(std::span(ids_).first(3), other);
  const auto error = [&](size_t count) {
    return thrown<std::invalid_argument>([&] { decoder_.forward(std::span(ids_).subspan(6, count), cache); });
  };
  EXPECT_EQ(error(11), "[decoder] pages: expected at least 3 free, of 4 tokens each, found 2");
  EXPECT_EQ(room.free_pages(), 2);
  EXPECT_EQ(cache.length(), 6);
  expect_whole(decoder_, std::span(ids_).first(16), whole_, 10, cache);
  EXPECT_EQ(room.free_pages(), 0);
  EXPECT_EQ(error(1), "[decoder] pages: expected at least 1 free, of 4 tokens each, found 0");
  expect_whole(decoder_, std::span(ids_).first(4), whole_, 1, other);
  other.truncate(0);
  expect_whole(decoder_, std::span(ids_).first(20), whole_, 4, cache);
}

TEST_P(Paged, PagesOfACallThatIsStoppedAreFreeAgain) {
  const DecoderPages room = pages(5, 8);
  DecoderCache cache(room);
  expect_whole(decoder_, std::span(ids_).first(10), whole_, 10, cache);
  DecoderOptions options;
  options.run.progress = [](double share) { return share < 0.5; };
  EXPECT_THROW(decoder_.forward(std::span(ids_).subspan(10), cache, options), Cancelled);
  EXPECT_EQ(room.free_pages(), 3);
  expect_whole(decoder_, ids_, whole_, 30, cache);
}

TEST_P(Paged, ACacheKeepsItsPagesWhenTheirOwnerIsGone) {
  auto room = std::make_unique<DecoderPages>(pages(10, 4));
  DecoderCache cache(*room);
  decoder_.forward(std::span(ids_).first(9), cache);
  room.reset();
  expect_whole(decoder_, ids_, whole_, 5, cache);
}

TEST_P(Paged, AStoppedPassTakesPagesForTheLayersItRuns) {
  const DecoderPages room = pages(10, 4);
  DecoderCache cache(room);
  EXPECT_EQ(decoder_.forward(std::span(ids_).first(9), cache, {.layers = 1}).sizes(),
            (std::array<int64_t, 2>{0, decoder_.config().vocabulary}));
  EXPECT_EQ(room.free_pages(), 7);
  EXPECT_EQ(thrown<std::invalid_argument>([&] { decoder_.forward(std::span(ids_).first(1), cache); }),
            "[decoder] layers: expected at most 1, as for the tokens before, found 2");
  cache.truncate(0);
  expect_whole(decoder_, ids_, whole_, 40, cache);
}

TEST(Pages, SizesThatMakeNoSenseAreRefused) {
  const DecoderConfig config = tiny_decoder("llama").config();
  const auto error = [&](int64_t pages, int64_t page_tokens) {
    return thrown<std::invalid_argument>([&] { DecoderPages(config, pages, page_tokens); });
  };
  EXPECT_EQ(error(0, 8), "[decoder_pages] pages: expected 1 to 9223372036854775807, found 0");
  EXPECT_EQ(error(-1, 8), "[decoder_pages] pages: expected 1 to 9223372036854775807, found -1");
  EXPECT_EQ(error(8, 0), "[decoder_pages] page_tokens: expected 1 to 2147483647, found 0");
  EXPECT_EQ(error(8, int64_t{1} << 31), "[decoder_pages] page_tokens: expected 1 to 2147483647, found 2147483648");
  EXPECT_THROW(DecoderPages(config, int64_t{1} << 60, 64), std::bad_alloc);
  const DecoderPages room(config, 3, 5);
  EXPECT_EQ(room.pages(), 3);
  EXPECT_EQ(room.page_tokens(), 5);
  EXPECT_EQ(room.free_pages(), 3);
}

TEST(Pages, ACacheOfAnotherModelsPagesIsRefused) {
  const DecoderPages room(tiny_decoder("gpt2").config(), 3, 8);
  DecoderCache cache(room);
  EXPECT_EQ(thrown<std::invalid_argument>([&] { tiny_decoder("llama").forward(some_ids(3), cache); }),
            "[decoder] cache: expected one made for llama, found another model's");
  EXPECT_EQ(room.free_pages(), 3);
}

TEST(Pages, ACacheWithoutRoomTakesNothing) {
  const Decoder decoder = tiny_decoder("llama");
  DecoderCache cache(decoder.config(), 0);
  EXPECT_EQ(thrown<std::invalid_argument>([&] { decoder.forward(some_ids(1), cache); }),
            "[decoder] ids: 1 tokens on top of 0, the cache holds 0 and the model takes 64");
}

}  // namespace
}  // namespace limelight::testing
