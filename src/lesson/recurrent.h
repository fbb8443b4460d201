// A chain against one hop: how much the last word's state still feels of each word, in a recurrent network and in one
// attention head.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace limelight::lesson {

constexpr size_t kReachHidden = 16;  // size of vectors and states
using WordVector = std::array<double, kReachHidden>;

// Drawn from the seed; a word has the same vector wherever it stands. Throws std::invalid_argument for fewer than 1 or
// more than 512 words.
std::vector<WordVector> word_vectors(const std::vector<std::string>& words, uint64_t seed);

// Of the last word: the state of h_t = tanh(W x_t + U h_{t-1}), and the output of one head that sees every word. Their
// matrices are drawn from the seed.
WordVector last_state(const std::vector<WordVector>& words, uint64_t seed);
WordVector last_output(const std::vector<WordVector>& words, uint64_t seed);

// Of each word, in order: the Frobenius norm of d (last state, or output) / d (that word's vector).
struct Reach {
  std::vector<double> recurrent;
  std::vector<double> attention;
};
Reach gradient_reach(const std::vector<WordVector>& words, uint64_t seed);

}  // namespace limelight::lesson
