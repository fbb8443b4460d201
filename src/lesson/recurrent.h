// A chain against one hop: how much the last word's state still feels of each word, in a recurrent network and in one
// attention head.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace limelight::lesson {

// Of each word, in order: the Frobenius norm of d (state or output of the last word) / d (that word's vector).
struct Reach {
  std::vector<double> recurrent;  // h_t = tanh(W x_t + U h_{t-1})
  std::vector<double> attention;  // one head, every word seen
};

constexpr int64_t kReachHidden = 16;  // size of vectors and states

// The words' vectors and the matrices are drawn from the seed; a word has the same vector wherever it stands. Throws
// std::invalid_argument for fewer than 1 or more than 512 words.
Reach gradient_reach(const std::vector<std::string>& words, uint64_t seed);

}  // namespace limelight::lesson
