// The chain's gradient is a product of matrices, in double; the head's is attention_backward(), one batch entry for
// each channel of the output.
#include "lesson/recurrent.h"

#include <array>
#include <cmath>

#include "core/checks.h"
#include "lesson/draw.h"
#include "limelight/backward.h"

namespace limelight::lesson {
namespace {

constexpr int64_t kSize = kReachHidden;
using Vector = WordVector;
using Matrix = std::array<Vector, kSize>;

enum Stream : uint32_t { kInput, kState, kQuery, kKey, kValue };

// FNV-1a (Fowler, Noll & Vo): the stream of a word is its spelling's.
uint32_t hash(const std::string& word) {
  uint32_t bits = 2166136261u;
  for (const char c : word) bits = (bits ^ static_cast<unsigned char>(c)) * 16777619u;
  return bits | 0x80000000u;  // none of the matrices'
}

Matrix draw_matrix(uint64_t seed, uint32_t stream, double factor) {
  Matrix matrix;
  for (size_t i = 0; i < kSize; ++i) {
    for (size_t j = 0; j < kSize; ++j) {
      matrix[i][j] = factor * double{draw_normal(seed, stream, static_cast<int64_t>(i * kSize + j))};
    }
  }
  return matrix;
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (size_t i = 0; i < kSize; ++i) {
    for (size_t k = 0; k < kSize; ++k) {
      for (size_t j = 0; j < kSize; ++j) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

Vector times(const Matrix& a, const Vector& x) {
  Vector y{};
  for (size_t i = 0; i < kSize; ++i) {
    for (size_t j = 0; j < kSize; ++j) y[i] += a[i][j] * x[j];
  }
  return y;
}

double norm(const Matrix& a) {
  double squares = 0;
  for (const Vector& row : a) {
    for (const double x : row) squares += x * x;
  }
  return std::sqrt(squares);
}

// diag(1 - h^2) a
Matrix through_tanh(const Vector& h, Matrix a) {
  for (size_t i = 0; i < kSize; ++i) {
    for (double& x : a[i]) x *= 1 - h[i] * h[i];
  }
  return a;
}

// Factors that keep states near deviation 1 and let the chain fade as trained ones do.
struct Chain {
  explicit Chain(uint64_t seed)
      : w(draw_matrix(seed, kInput, 0.6 / std::sqrt(kSize))), u(draw_matrix(seed, kState, 0.9 / std::sqrt(kSize))) {}

  std::vector<Vector> states(const std::vector<Vector>& words) const {
    std::vector<Vector> states;
    for (const Vector& x : words) {
      Vector h = times(w, x);
      if (!states.empty()) {
        const Vector before = times(u, states.back());
        for (size_t i = 0; i < kSize; ++i) h[i] += before[i];
      }
      for (double& element : h) element = std::tanh(element);
      states.push_back(h);
    }
    return states;
  }

  const Matrix w, u;
};

std::vector<double> recurrent_reach(const std::vector<Vector>& words, uint64_t seed) {
  const Chain network(seed);
  const std::vector<Vector> states = network.states(words);
  std::vector<double> reach(words.size());
  Matrix chain{};  // d (last state) / d (state t)
  for (size_t i = 0; i < kSize; ++i) chain[i][i] = 1;
  for (size_t t = words.size(); t-- > 0;) {
    reach[t] = norm(product(chain, through_tanh(states[t], network.w)));
    chain = product(chain, through_tanh(states[t], network.u));
  }
  return reach;
}

// Rows x W^T for every batch entry: [B,1,T,C] from words [T,C].
Tensor<float, 4> project(const std::vector<Vector>& words, const Matrix& w) {
  const auto tokens = static_cast<int64_t>(words.size());
  Tensor<float, 4> rows({kSize, 1, tokens, kSize});
  for (int64_t t = 0; t < tokens; ++t) {
    const Vector y = times(w, words[static_cast<size_t>(t)]);
    for (int64_t b = 0; b < kSize; ++b) {
      for (int64_t c = 0; c < kSize; ++c) rows(b, 0, t, c) = static_cast<float>(y[static_cast<size_t>(c)]);
    }
  }
  return rows;
}

struct Head {
  explicit Head(const std::vector<Vector>& words, uint64_t seed)
      : w{draw_matrix(seed, kQuery, kFactor), draw_matrix(seed, kKey, kFactor), draw_matrix(seed, kValue, kFactor)},
        q(project(words, w[0])),
        k(project(words, w[1])),
        v(project(words, w[2])),
        result(attention(q, k, v)) {}

  static constexpr double kFactor = 0.25;  // 1 / sqrt(kSize)
  const std::array<Matrix, 3> w;
  const Tensor<float, 4> q, k, v;
  const AttentionResult result;
};

std::vector<double> attention_reach(const std::vector<Vector>& words, uint64_t seed) {
  const auto tokens = static_cast<int64_t>(words.size());
  const Head head(words, seed);
  const std::array<Matrix, 3>& w = head.w;
  // Batch entry b asks for the gradient of channel b of the last word's output.
  Tensor<float, 4> dout({kSize, 1, tokens, kSize});
  for (int64_t b = 0; b < kSize; ++b) dout(b, 0, tokens - 1, b) = 1;
  Tensor<float, 4> dq(head.q.sizes()), dk(head.k.sizes()), dv(head.v.sizes());
  attention_backward(head.q, head.k, head.v, {}, head.result.out, head.result.lse, dout,
                     {.dq = dq, .dk = dk, .dv = dv});
  std::vector<double> reach;
  for (int64_t t = 0; t < tokens; ++t) {
    Matrix jacobian{};
    for (int64_t b = 0; b < kSize; ++b) {
      for (int64_t c = 0; c < kSize; ++c) {
        const double parts[3] = {dq(b, 0, t, c), dk(b, 0, t, c), dv(b, 0, t, c)};
        for (size_t m = 0; m < 3; ++m) {
          const Vector& row = w[m][static_cast<size_t>(c)];
          for (size_t x = 0; x < kSize; ++x) jacobian[static_cast<size_t>(b)][x] += parts[m] * row[x];
        }
      }
    }
    reach.push_back(norm(jacobian));
  }
  return reach;
}

}  // namespace

std::vector<WordVector> word_vectors(const std::vector<std::string>& words, uint64_t seed) {
  detail::check_range("recurrent", "words", static_cast<int64_t>(words.size()), 1, 512);
  std::vector<WordVector> vectors;
  for (const std::string& word : words) {
    WordVector& x = vectors.emplace_back();
    for (size_t c = 0; c < kSize; ++c) x[c] = double{draw_normal(seed, hash(word), static_cast<int64_t>(c))};
  }
  return vectors;
}

WordVector last_state(const std::vector<WordVector>& words, uint64_t seed) {
  return Chain(seed).states(words).back();
}

WordVector last_output(const std::vector<WordVector>& words, uint64_t seed) {
  const Head head(words, seed);
  WordVector output;
  for (int64_t c = 0; c < kSize; ++c) {
    output[static_cast<size_t>(c)] = double{head.result.out(0, 0, static_cast<int64_t>(words.size()) - 1, c)};
  }
  return output;
}

Reach gradient_reach(const std::vector<WordVector>& words, uint64_t seed) {
  detail::check_range("recurrent", "words", static_cast<int64_t>(words.size()), 1, 512);
  return {recurrent_reach(words, seed), attention_reach(words, seed)};
}

}  // namespace limelight::lesson
