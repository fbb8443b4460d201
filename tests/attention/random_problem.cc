// Draws shapes, then keys (plain, with lengths, packed, paged, a part), then options, then storage.
#include "tests/attention/random_problem.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <vector>

#include "attention/reference_row.h"

namespace limelight::testing {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

int64_t between(Random& random, int64_t least, int64_t most) {
  return std::uniform_int_distribution<int64_t>(least, most)(random);
}

template <class T>
T pick(Random& random, std::initializer_list<T> from) {
  return *(from.begin() + between(random, 0, static_cast<int64_t>(from.size()) - 1));
}

bool chance(Random& random, double share) {
  return std::bernoulli_distribution(share)(random);
}

// At most about 2 million multiply-adds in q . k over all heads, so that thousands of problems take seconds.
// `large`: enough of them for more than one thread.
Shape random_shape(Random& random, bool large) {
  Shape s;
  s.G = pick<int64_t>(random, {1, 1, 1, 2, 3});
  s.H = s.G * pick<int64_t>(random, {1, 1, 2, 4});
  s.B = pick<int64_t>(random, {1, 1, 2, 3});
  s.D = pick<int64_t>(random, {1, 4, 8, 16, 24, 33, 64, 80});
  s.E = pick<int64_t>(random, {1, 8, 16, 24, 33, 64, 80});
  s.M = pick<int64_t>(random, {1, 1, 2, 5, 6, 7, 16, 23, 40});
  s.N = chance(random, 0.05) ? pick<int64_t>(random, {511, 513, 700, 1030})
                             : pick<int64_t>(random, {1, 3, 8, 31, 33, 64, 65, 100, 130});
  if (large) s.M = 150, s.N = 513;
  while (s.B * s.H * s.M * s.N * (s.D + s.E) > 2'000'000) {
    if (s.M > 1) {
      s.M /= 2;
    } else {
      s.D = (s.D + 1) / 2;
      s.E = (s.E + 1) / 2;
    }
  }
  return s;
}

// `count` lengths from 0 to `most`, some of them 0.
Tensor<int64_t, 1> random_lengths(int64_t count, int64_t most, Random& random) {
  Tensor<int64_t, 1> lengths({count});
  for (int64_t s = 0; s < count; ++s) lengths(s) = chance(random, 0.15) ? 0 : between(random, 0, most);
  return lengths;
}

Tensor<int64_t, 1> cumulative(const Tensor<int64_t, 1>& lengths) {
  Tensor<int64_t, 1> cu({lengths.count() + 1});
  std::partial_sum(lengths.data(), lengths.data() + lengths.count(), cu.data() + 1);
  return cu;
}

// Queries of several sequences one after the other; returns how many sequences.
int64_t pack_queries(Problem& p, Random& random) {
  const int64_t count = between(random, 1, 5);
  p.cu_q = cumulative(random_lengths(count, p.shape.M, random));
  p.shape.B = 1;
  p.shape.M = (*p.cu_q)(count);
  return count;
}

// A table of pages in random order with some to spare; entries behind a sequence's last page name none.
void page_keys(RandomProblem& r, int64_t sequences, Random& random) {
  Problem& p = r.problem;
  const int64_t page = pick<int64_t>(random, {1, 3, 16, 64, 512});
  const int64_t columns = (p.shape.N + page - 1) / page + between(random, 0, 1);
  p.key_lengths = random_lengths(sequences, std::min(p.shape.N, columns * page), random);
  p.shape.N = columns * page;
  std::vector<int64_t> pages(static_cast<size_t>(sequences * columns + 2));
  std::iota(pages.begin(), pages.end(), 0);
  std::shuffle(pages.begin(), pages.end(), random);
  p.block_table = Tensor<int64_t, 2>({sequences, columns});
  for (int64_t s = 0; s < sequences; ++s) {
    for (int64_t c = 0; c < columns; ++c) {
      const bool used = c * page < (*p.key_lengths)(s);
      (*p.block_table)(s, c) = used ? pages[s * columns + c] : pick<int64_t>(random, {-1, 0, 1 << 30});
    }
  }
  if (sequences > 1 && (*p.key_lengths)(0) > 0 && (*p.key_lengths)(1) > 0 && chance(random, 0.2)) {
    (*p.block_table)(1, 0) = (*p.block_table)(0, 0);
    r.pages_shared = true;
  }
  p.k = Tensor<float, 4>({static_cast<int64_t>(pages.size()), p.shape.G, page, p.shape.D});
  p.v = Tensor<float, 4>({static_cast<int64_t>(pages.size()), p.shape.G, page, p.shape.E});
}

void draw_keys(RandomProblem& r, Random& random, bool large) {
  Problem& p = r.problem;
  const int64_t kind = between(random, 0, 19);
  p.shape = random_shape(random, large);
  if (kind < 4) {  // packed
    const int64_t count = pack_queries(p, random);
    p.cu_k = cumulative(random_lengths(count, p.shape.N, random));
    p.shape.N = (*p.cu_k)(count);
  } else if (kind < 6) {  // packed queries on paged keys
    page_keys(r, pack_queries(p, random), random);
  } else if (kind < 9) {
    page_keys(r, p.shape.B, random);
  } else if (kind < 11) {
    const int64_t first = pick<int64_t>(random, {0, 1, 77, 512, 1024});
    p.part = KeyPart{first, first + p.shape.N + pick<int64_t>(random, {0, 1, 100})};
  } else if (kind < 14) {
    p.key_lengths = random_lengths(p.shape.B, p.shape.N, random);
  }
  const auto& [B, H, G, M, N, D, E] = p.shape;
  p.q = random_tensor({B, H, M, D}, random);
  if (!p.block_table) p.k = Tensor<float, 4>({B, G, N, D});
  if (!p.block_table) p.v = Tensor<float, 4>({B, G, N, E});
}

// Each axis its own size or 1.
std::array<int64_t, 4> broadcast_sizes(const Shape& s, Random& random) {
  std::array<int64_t, 4> sizes{s.B, s.H, s.M, s.N};
  for (int64_t& size : sizes) size = chance(random, 0.4) ? 1 : size;
  return sizes;
}

void draw_bias_and_mask(Problem& p, Random& random) {
  if (chance(random, 0.3)) {
    p.bias = random_tensor(broadcast_sizes(p.shape, random), random);
    for (int64_t n = 0; n < p.bias->count(); ++n) {
      if (chance(random, 0.1)) p.bias->data()[n] = kMinusInfinity;
    }
  }
  if (chance(random, 0.3)) p.mask = random_mask(broadcast_sizes(p.shape, random), 0.7, random);
}

void draw_options(Problem& p, Random& random) {
  p.causal = pick(random, {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight, Causal::kBottomRight});
  if (chance(random, 0.3)) p.window.left = pick<int64_t>(random, {0, 1, 5, 40, 200, 600});
  if (chance(random, 0.3)) p.window.right = pick<int64_t>(random, {0, 1, 5, 40, 200, 600});
  if (chance(random, 0.3)) p.scale = pick(random, {0.0f, 0.3f, -0.3f, 0.6f});
  if (chance(random, 0.2)) p.softcap = pick(random, {1.0f, 3.0f, 20.0f});
  if (chance(random, 0.2)) {
    p.alibi_slopes = Tensor<float, 2>({chance(random, 0.5) ? 1 : p.shape.B, p.shape.H});
    for (int64_t n = 0; n < p.alibi_slopes->count(); ++n) {
      p.alibi_slopes->data()[n] = std::exp2(-static_cast<float>(between(random, 1, 8)));
    }
  }
  if (chance(random, 0.25)) {
    p.sinks = Tensor<float, 1>({p.shape.H});
    for (int64_t h = 0; h < p.shape.H; ++h) {
      (*p.sinks)(h) = chance(random, 0.2) ? kMinusInfinity : std::normal_distribution<float>(0, 2)(random);
    }
  }
  draw_bias_and_mask(p, random);
  if (chance(random, 0.15)) p.dropout = {pick(random, {0.1f, 0.5f, 0.9f}), random(), random()};
}

Form random_form(Storage storage, Random& random) {
  static const std::vector<Layout> all = layouts();
  const int64_t other = chance(random, 0.4) ? between(random, 0, static_cast<int64_t>(all.size()) - 1) : 0;
  return {storage, all[other]};
}

// Half of the problems in f32, a quarter in one of the others, a quarter mixed.
void draw_forms(RandomProblem& r, Random& random) {
  const auto any = [&] { return pick(random, {Storage::kF32, Storage::kF16, Storage::kBf16}); };
  const int64_t kind = between(random, 0, 3);
  const Storage one = kind < 2 ? Storage::kF32 : any();
  for (Form* form : {&r.q, &r.k, &r.v, &r.out}) *form = random_form(kind == 3 ? any() : one, random);
  r.bias = random_form(Storage::kF32, random);
  r.mask = random_form(Storage::kF32, random);
}

void narrow(Tensor<float, 4>& tensor, Storage storage) {
  for (int64_t n = 0; n < tensor.count(); ++n) tensor.data()[n] = narrowed(tensor.data()[n], storage);
}

// Numbers where a sequence has a key, NaN elsewhere.
void fill_keys(Tensor<float, 4>& keys, const Problem& p, Random& random) {
  std::fill_n(keys.data(), keys.count(), kNaN);
  std::normal_distribution<float> normal;
  const AttentionOptions options = p.options();
  for (const auto& sequence : detail::reference_sequences(p.q, p.k, options)) {
    const detail::ReferenceRow row{options, sequence, p.k.sizes()[2], p.shape.H, sequence.batch, 0, 0, 0};
    for (int64_t column = sequence.first_column; column < row.end_column(); ++column) {
      const auto [block, at] = row.place(column);
      for (int64_t g = 0; g < p.shape.G; ++g) {
        for (int64_t d = 0; d < keys.sizes()[3]; ++d) keys(block, g, at, d) = normal(random);
      }
    }
  }
}

}  // namespace

RandomProblem random_problem(uint64_t seed) {
  Random random(seed);
  RandomProblem r;
  Problem& p = r.problem;
  draw_keys(r, random, seed % 12 == 0);
  draw_options(p, random);
  fill_keys(p.k, p, random);
  fill_keys(p.v, p, random);
  draw_forms(r, random);
  narrow(p.q, r.q.storage), narrow(p.k, r.k.storage), narrow(p.v, r.v.storage);
  r.dout = random_tensor({p.shape.B, p.shape.H, p.shape.M, p.shape.E}, random);
  narrow(r.dout, r.out.storage);
  r.dlse = Tensor<float, 3>({p.shape.B, p.shape.H, p.shape.M});
  std::normal_distribution<float> normal;
  for (int64_t n = 0; n < r.dlse.count(); ++n) r.dlse.data()[n] = normal(random);
  return r;
}

std::string RandomProblem::text() const {
  std::string text = problem.text();
  const auto add = [&](const char* name, const Form& form) {
    text += std::string(" | ") + name + " " + std::string(storage_name(form.storage)) + " " + form.layout.name;
  };
  add("q", q), add("k", k), add("v", v), add("out", out);
  if (problem.bias) add("bias", bias);
  if (problem.mask) add("mask", mask);
  return text + (pages_shared ? " | pages shared" : "");
}

StoredProblem::StoredProblem(const RandomProblem& r)
    : q(r.problem.q, r.q.storage, r.q.layout),
      k(r.problem.k, r.k.storage, r.k.layout),
      v(r.problem.v, r.v.storage, r.v.layout),
      options(r.problem.options()) {
  if (r.problem.bias) options.bias = bias.emplace(r.bias.layout, *r.problem.bias, kNaN).view();
  if (r.problem.mask) options.mask = mask.emplace(r.mask.layout, *r.problem.mask, uint8_t{1}).view();
}

LensRequest random_request(const Problem& p, uint64_t seed) {
  Random random(seed + 1);
  LensRequest request;
  for (int64_t n = p.shape.M == 0 ? 0 : pick<int64_t>(random, {0, 1, 4}); n > 0; --n) {
    request.rows.push_back(between(random, -p.shape.M, p.shape.M - 1));
  }
  request.top_k = pick<int64_t>(random, {0, 1, 3, 8, 20});
  request.received = chance(random, 0.5);
  request.entropy = chance(random, 0.5);
  request.heatmap = pick<int64_t>(random, {0, 0, 1, 5, 32});
  return request;
}

Problem alone(const Problem& p, int64_t s) {
  const AttentionOptions options = p.options();
  const auto sequence = detail::reference_sequences(p.q, p.k, options)[s];
  const detail::ReferenceRow row{options, sequence, p.k.sizes()[2], p.shape.H, sequence.batch, 0, 0, 0};
  // The sequence's part of [B, H, M, N].
  const auto cut = [&](const auto& view) {
    const auto rows = slice(slice(view, 0, sequence.batch, 1, true), 2, sequence.first_query, sequence.queries, true);
    return copy_of(slice(rows, 3, sequence.first_column, sequence.columns, true));
  };
  const auto keys = [&](const Tensor<float, 4>& from) {
    Tensor<float, 4> to({1, p.shape.G, sequence.columns, from.sizes()[3]});
    for_each_index(to.sizes(), [&](int64_t, int64_t g, int64_t j, int64_t d) {
      const auto [block, at] = row.place(sequence.first_column + j);
      to(0, g, j, d) = from(block, g, at, d);
    });
    return to;
  };
  Problem one;
  one.shape = {1, p.shape.H, p.shape.G, sequence.queries, sequence.columns, p.shape.D, p.shape.E};
  one.causal = p.causal, one.window = p.window, one.scale = p.scale, one.softcap = p.softcap, one.part = p.part;
  one.q = copy_of(slice(slice(p.q.view(), 0, sequence.batch, 1), 2, sequence.first_query, sequence.queries));
  one.k = keys(p.k), one.v = keys(p.v);
  if (p.alibi_slopes) one.alibi_slopes = copy_of(slice(p.alibi_slopes->view(), 0, sequence.batch, 1, true));
  if (p.sinks) one.sinks = p.sinks->clone();
  if (p.bias) one.bias = cut(p.bias->view());
  if (p.mask) one.mask = cut(p.mask->view());
  return one;
}

uint64_t random_problems(uint64_t usual) {
  const char* asked = std::getenv("LIMELIGHT_RANDOM_PROBLEMS");
  return asked == nullptr ? usual : std::strtoull(asked, nullptr, 10);
}

}  // namespace limelight::testing
