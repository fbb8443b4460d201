// Sequences of unequal lengths in one pass, prompts and single tokens alike: each has the bits it has alone.
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "limelight/error.h"
#include "limelight/lens.h"
#include "tests/model/thrown.h"
#include "tests/model/tiny_decoder.h"

namespace limelight::testing {
namespace {

using Ids = std::vector<int32_t>;

// What the cache of a sequence holds, and what comes next.
struct Sequence {
  Ids before, next;
};

// Of these many, prompts and decoding mixed, no two alike.
std::vector<Sequence> some_sequences(size_t count) {
  constexpr std::array<std::array<int64_t, 2>, 9> kLengths{
      {{0, 9}, {5, 1}, {1, 4}, {12, 1}, {0, 1}, {7, 7}, {16, 1}, {3, 13}, {9, 2}}};
  std::vector<Sequence> sequences;
  for (size_t s = 0; s < count; ++s) {
    const auto [before, next] = kLengths[s];
    sequences.push_back({some_ids(before, 3 * s), some_ids(next, 50 + 5 * s)});
  }
  return sequences;
}

// One over a contiguous cache of its own.
Tensor<float, 2> alone(const Decoder& decoder, const Sequence& sequence, const DecoderOptions& options = {}) {
  DecoderCache cache(decoder.config(), 40);
  if (!sequence.before.empty()) decoder.forward(sequence.before, cache);
  return decoder.forward(sequence.next, cache, options);
}

// Caches of the same pages, each with what its sequence had before, and the inputs of the next pass.
struct Batch {
  Batch(const Decoder& decoder, std::vector<Sequence> taken, int64_t page_tokens)
      : sequences(std::move(taken)), pages(decoder.config(), 200, page_tokens) {
    std::vector<DecoderInput> first;
    for (size_t s = 0; s < sequences.size(); ++s) caches.emplace_back(pages);
    for (size_t s = 0; s < sequences.size(); ++s) {
      if (!sequences[s].before.empty()) first.push_back({sequences[s].before, caches[s]});
      inputs.push_back({sequences[s].next, caches[s]});
    }
    decoder.forward_last(first);
  }

  const std::vector<Sequence> sequences;
  DecoderPages pages;
  std::vector<DecoderCache> caches;
  std::vector<DecoderInput> inputs;
};

class DecoderBatch : public ::testing::TestWithParam<const char*> {
 protected:
  const Decoder decoder_ = tiny_decoder(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Models, DecoderBatch, ::testing::Values("gpt2", "llama", "llama_scaled", "window"),
                         [](const auto& name) { return std::string(name.param); });

// Rows of each sequence in turn, against the sequence alone; of its last token where that is all there is.
void expect_as_alone(const Decoder& decoder, const std::vector<Sequence>& sequences, const Tensor<float, 2>& logits,
                     bool last, const DecoderOptions& options = {}) {
  int64_t row = 0;
  for (size_t s = 0; s < sequences.size(); ++s) {
    const auto expected = alone(decoder, sequences[s], {.causal = options.causal});
    const int64_t tokens = expected.sizes()[0], count = last ? 1 : tokens;
    ASSERT_LE(row + count, logits.sizes()[0]);
    EXPECT_TRUE(same_bits(rows_of(logits, row, count), rows_of(expected, tokens - count, count))) << "sequence " << s;
    row += count;
  }
  EXPECT_EQ(row, logits.sizes()[0]);
}

TEST_P(DecoderBatch, EachSequenceHasTheBitsItHasAlone) {
  for (size_t count = 1; count <= 9; ++count) {
    const auto sequences = some_sequences(count);
    for (const int64_t page_tokens : {1, 7, 64}) {
      for (const bool last : {false, true}) {
        SCOPED_TRACE(std::to_string(count) + " sequences, " + std::to_string(page_tokens) + " a page");
        Batch batch(decoder_, sequences, page_tokens);
        const auto logits = last ? decoder_.forward_last(batch.inputs) : decoder_.forward(batch.inputs);
        expect_as_alone(decoder_, sequences, logits, last);
        for (size_t s = 0; s < count; ++s) {
          const size_t length = sequences[s].before.size() + sequences[s].next.size();
          EXPECT_EQ(batch.caches[s].length(), static_cast<int64_t>(length));
        }
      }
    }
  }
}

TEST_P(DecoderBatch, SameBitsForAnyThreadCount) {
  const auto sequences = some_sequences(9);
  for (const int threads : {1, 2, 3, 7}) {
    Batch batch(decoder_, sequences, 7);
    expect_as_alone(decoder_, sequences, decoder_.forward(batch.inputs, {.run = {.threads = threads}}), false);
  }
}

// Token by token together, each step with other sequences and in another order.
TEST_P(DecoderBatch, SequencesComeAndGoBetweenTheSteps) {
  const DecoderPages pages(decoder_.config(), 40, 3);
  std::vector<DecoderCache> caches;
  std::vector<Ids> ids;
  std::vector<Tensor<float, 2>> whole;
  for (size_t s = 0; s < 4; ++s) {
    caches.emplace_back(pages);
    ids.push_back(some_ids(24, 11 * s));
    whole.push_back(logits_of(decoder_, ids[s]));
  }
  for (size_t step = 0; step < 20; ++step) {
    std::vector<DecoderInput> inputs;
    std::vector<size_t> chosen;
    for (size_t n = 0; n < 4; ++n) {
      const size_t s = (n + step) % 4;
      if ((step + s * s) % 3 == 0) continue;
      const auto length = static_cast<size_t>(caches[s].length());
      inputs.push_back({std::span(ids[s]).subspan(length, 1), caches[s]});
      chosen.push_back(s);
    }
    const auto logits = decoder_.forward(inputs);
    for (size_t n = 0; n < chosen.size(); ++n) {
      const auto row = rows_of(logits, static_cast<int64_t>(n), 1);
      EXPECT_TRUE(same_bits(row, rows_of(whole[chosen[n]], caches[chosen[n]].length() - 1, 1)));
    }
    if (step == 9) caches[1].truncate(2);
    if (step == 14) caches[2] = DecoderCache(pages);
  }
}

TEST_P(DecoderBatch, WithoutAMaskEveryTokenSeesAllOfItsOwn) {
  std::vector<Sequence> sequences = some_sequences(6);
  for (Sequence& sequence : sequences) sequence.before.clear();
  Batch batch(decoder_, sequences, 4);
  const DecoderOptions options{.causal = Causal::kNone};
  expect_as_alone(decoder_, sequences, decoder_.forward(batch.inputs, options), false, options);
}

TEST_P(DecoderBatch, OfNoSequencesIsNothing) {
  EXPECT_EQ(decoder_.forward(std::span<const DecoderInput>()).sizes(), (std::array<int64_t, 2>{0, 96}));
  EXPECT_EQ(decoder_.forward_last(std::span<const DecoderInput>()).sizes(), (std::array<int64_t, 2>{0, 96}));
}

TEST_P(DecoderBatch, StopsAfterTheLayersAskedFor) {
  const auto sequences = some_sequences(3);
  Batch batch(decoder_, {{{}, sequences[0].next}, {{}, sequences[1].next}}, 4);
  EXPECT_EQ(decoder_.forward_last(batch.inputs, {.layers = 1}).sizes(), (std::array<int64_t, 2>{0, 96}));
  EXPECT_EQ(thrown<std::invalid_argument>([&] { decoder_.forward(batch.inputs); }),
            "[decoder] sequence 0 layers: expected at most 1, as for the tokens before, found 2");
  EXPECT_EQ(batch.caches[1].length(), 1);
}

TEST_P(DecoderBatch, ProgressRisesToOneAndStops) {
  const auto sequences = some_sequences(5);
  for (const bool last : {false, true}) {
    Batch batch(decoder_, sequences, 4);
    const int64_t free = batch.pages.free_pages();
    DecoderOptions options;
    options.run.progress = [](double share) { return share < 0.5; };
    EXPECT_THROW(decoder_.forward(batch.inputs, options), Cancelled);
    EXPECT_EQ(batch.pages.free_pages(), free);
    double most = 0;
    options.run.progress = [&](double share) {
      EXPECT_GE(share, most);
      most = share;
      return true;
    };
    const auto logits = last ? decoder_.forward_last(batch.inputs, options) : decoder_.forward(batch.inputs, options);
    EXPECT_DOUBLE_EQ(most, 1);
    expect_as_alone(decoder_, sequences, logits, last);
  }
}

TEST_P(DecoderBatch, TwoThreadsMayUseTheSamePages) {
  const DecoderPages pages(decoder_.config(), 40, 2);
  const auto sequences = some_sequences(4);
  const auto work = [&](size_t first) {
    for (int round = 0; round < 5; ++round) {
      DecoderCache a(pages), b(pages);
      const std::array<DecoderInput, 2> inputs{{{sequences[first].next, a}, {sequences[first + 1].next, b}}};
      const std::vector<Sequence> fresh = {{{}, sequences[first].next}, {{}, sequences[first + 1].next}};
      expect_as_alone(decoder_, fresh, decoder_.forward(inputs), false);
    }
  };
  std::thread other(work, 0);
  work(2);
  other.join();
  EXPECT_EQ(pages.free_pages(), 40);
}

// What an observer is given of one layer, and what attention() makes of it.
struct Seen {
  Tensor<float, 4> out, rows;
  std::vector<Tensor<float, 3>> lse;  // its own, and attention()'s
  std::vector<float> q;               // before the rotation
};

std::vector<Seen> watched(const Decoder& decoder, std::span<const DecoderInput> inputs) {
  std::vector<Seen> layers;
  std::vector<float> q;
  DecoderOptions options;
  options.projections = [&](const LayerProjection& seen) {
    const auto [batch, heads, tokens, depth] = seen.q.sizes;
    q.clear();
    for (int64_t i = 0; i < heads * tokens * depth; ++i) {
      q.push_back(seen.q(0, i / depth % heads, i / depth / heads, i % depth));
    }
  };
  options.observer = [&](const LayerAttention& layer) {
    EXPECT_EQ(layer.options.cu_q.has_value(), inputs.size() > 1);
    EXPECT_EQ(layer.options.block_table.has_value(), inputs.size() > 1);
    EXPECT_EQ(layer.options.key_lengths.has_value(), inputs.size() > 1);
    auto [out, lse] = attention(layer.q, layer.k, layer.v, layer.options);
    LensRequest request;
    for (int64_t t = 0; t < layer.q.sizes[2]; ++t) request.rows.push_back(t);
    Seen seen{std::move(out), look(layer.q, layer.k, layer.options, request).rows, {}, q};
    Tensor<float, 3> given(layer.lse.sizes);
    std::copy_n(layer.lse.data, given.count(), given.data());
    seen.lse.push_back(std::move(given));
    seen.lse.push_back(std::move(lse));
    layers.push_back(std::move(seen));
  };
  decoder.forward(inputs, options);
  return layers;
}

// The rows of one sequence, which has `keys` keys, from `first` on.
void expect_rows(const Seen& all, const Seen& one, int64_t first, int64_t keys) {
  const auto [batch, heads, tokens, depth] = one.out.sizes();
  const auto same = [](const float* a, const float* b, int64_t count) {
    return std::memcmp(a, b, sizeof(float) * static_cast<size_t>(count)) == 0;
  };
  for (int64_t h = 0; h < heads; ++h) {
    EXPECT_TRUE(same(&all.out(0, h, first, 0), &one.out(0, h, 0, 0), tokens * depth));
    for (const auto& lse : all.lse) EXPECT_TRUE(same(&lse(0, h, first), &one.lse[0](0, h, 0), tokens));
    for (int64_t t = 0; t < tokens; ++t) {
      EXPECT_TRUE(same(&all.rows(0, h, first + t, 0), &one.rows(0, h, t, 0), keys));
    }
  }
  const size_t width = static_cast<size_t>(heads * depth);
  if (all.q.empty() || one.q.empty()) return;
  EXPECT_TRUE(same(&all.q[static_cast<size_t>(first) * width], one.q.data(), static_cast<int64_t>(one.q.size())));
}

TEST_P(DecoderBatch, ObserverSeesOfEachSequenceWhatItSeesOfItAlone) {
  const auto sequences = some_sequences(9);
  Batch batch(decoder_, sequences, 4);
  const auto all = watched(decoder_, batch.inputs);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].q.empty(), GetParam() == std::string("gpt2"));
  int64_t first = 0;
  for (const Sequence& sequence : sequences) {
    DecoderCache cache(decoder_.config(), 40);
    if (!sequence.before.empty()) decoder_.forward(sequence.before, cache);
    const DecoderInput input{sequence.next, cache};
    const auto one = watched(decoder_, {&input, 1});
    ASSERT_EQ(one.size(), 2u);
    for (size_t layer = 0; layer < 2; ++layer) expect_rows(all[layer], one[layer], first, cache.length());
    first += static_cast<int64_t>(sequence.next.size());
  }
}

class RefusedBatch : public ::testing::Test {
 protected:
  // Sequences 0 and 1 are good, the second is what is refused; after it both are taken.
  void expect_refused(DecoderInput bad, const std::string& message, const DecoderOptions& options = {}) {
    const int64_t free = batch_.pages.free_pages();
    const std::array<DecoderInput, 3> inputs{batch_.inputs[0], bad, batch_.inputs[2]};
    EXPECT_EQ(thrown<std::invalid_argument>([&] { llama_.forward(inputs, options); }), "[decoder] " + message);
    EXPECT_EQ(batch_.pages.free_pages(), free);
    for (size_t s = 0; s < 3; ++s) {
      EXPECT_EQ(batch_.caches[s].length(), static_cast<int64_t>(sequences_[s].before.size()));
    }
  }
  ~RefusedBatch() override { expect_as_alone(llama_, sequences_, llama_.forward(batch_.inputs), false); }

  const Decoder llama_ = tiny_decoder("llama");
  const std::vector<Sequence> sequences_ = some_sequences(3);
  Batch batch_{llama_, sequences_, 4};
  const Ids good_ = {1, 2};
};

TEST_F(RefusedBatch, ForItsIds) {
  DecoderCache& cache = batch_.caches[1];
  expect_refused({{}, cache}, "sequence 1 ids: expected at least 1 token, found 0");
  const Ids unknown = {1, 96}, negative = {-1};
  expect_refused({unknown, cache}, "sequence 1 ids[1]: expected 0 to 95, found 96");
  expect_refused({negative, cache}, "sequence 1 ids[0]: expected 0 to 95, found -1");
  const Ids many = some_ids(60);
  expect_refused({many, cache}, "sequence 1 ids: 60 tokens on top of 5, the cache holds 64 and the model takes 64");
}

TEST_F(RefusedBatch, ForItsCaches) {
  expect_refused({good_, batch_.caches[0]}, "sequence 1 cache: expected one of its own, found that of sequence 0");
  DecoderCache contiguous(llama_.config(), 40);
  const std::string others = "sequence 1 cache: expected one of the same pages as sequence 0 has, found one of others";
  expect_refused({good_, contiguous}, others);
  const DecoderPages pages(llama_.config(), 200, 4);
  DecoderCache elsewhere(pages);
  expect_refused({good_, elsewhere}, others);
  DecoderCache gpt2(tiny_decoder("gpt2").config(), 40);
  expect_refused({good_, gpt2}, "sequence 1 cache: expected one made for llama, found another model's");
  EXPECT_EQ(pages.free_pages(), 200);
}

TEST_F(RefusedBatch, ForTheOptions) {
  DecoderCache& cache = batch_.caches[1];
  expect_refused({good_, cache}, "layers: expected 1 to 2, found 3", {.layers = 3});
  expect_refused({good_, cache},
                 "sequence 0 causal: expected bottom_right, or none with an empty cache, found top_left",
                 {.causal = Causal::kTopLeft});
  expect_refused({good_, cache},
                 "sequence 1 causal: expected bottom_right, or none with an empty cache, found none with 5 tokens",
                 {.causal = Causal::kNone});
}

TEST_F(RefusedBatch, ForPagesThatAreNotFree) {
  std::vector<DecoderCache> greedy;
  while (batch_.pages.free_pages() > 2) {
    greedy.emplace_back(batch_.pages);
    llama_.forward(some_ids(std::min<int64_t>(64, 4 * (batch_.pages.free_pages() - 2))), greedy.back());
  }
  const Ids seven = some_ids(7);  // two pages, sequence 0 three and sequence 2 one
  expect_refused({seven, batch_.caches[1]}, "pages: expected at least 5 free, of 4 tokens each, found 2");
}

TEST(RefusedWeights, LeaveAllCachesOfABatchAsTheyWere) {
  TinyDecoder gpt2("gpt2");
  gpt2.edit_tensors([](TinyDecoder::Entry& entry) { std::fill(entry.values.begin(), entry.values.end(), 3e38f); });
  const Decoder decoder = gpt2.load();
  Batch batch(decoder, {{{}, {1, 2}}, {{}, {3}}}, 4);
  EXPECT_THROW(decoder.forward(batch.inputs), FormatError);
  EXPECT_EQ(batch.caches[0].length() + batch.caches[1].length(), 0);
  EXPECT_EQ(batch.pages.free_pages(), 200);
}

}  // namespace
}  // namespace limelight::testing
