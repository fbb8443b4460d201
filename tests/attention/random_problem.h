// Problems drawn at random over all options together, and how their tensors are stored.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "limelight/lens.h"
#include "tests/attention/problem.h"
#include "tests/attention/stored.h"

namespace limelight::testing {

// How one tensor is stored.
struct Form {
  Storage storage = Storage::kF32;
  Layout layout;
};

// Most problems have few pairs; about one in twenty has more keys than a tile. Keys that no query may see hold NaN.
struct RandomProblem {
  Problem problem;  // values that the storage can hold
  Form q, k, v, out;
  Form bias, mask;  // the layout alone
  Tensor<float, 4> dout;
  Tensor<float, 3> dlse;
  bool pages_shared = false;  // by two sequences

  std::string text() const;
};
RandomProblem random_problem(uint64_t seed);

// The tensors of a problem as they are stored, and the options that look into them.
struct StoredProblem {
  explicit StoredProblem(const RandomProblem& r);
  StoredProblem(StoredProblem&&) = delete;

  Stored q, k, v;
  std::optional<Laid<float>> bias;
  std::optional<Laid<uint8_t>> mask;
  AttentionOptions options;
};

LensRequest random_request(const Problem& p, uint64_t seed);

// Sequence s of the problem as a plain call of its own, without pack and pages: the same bits, but for dropout.
Problem alone(const Problem& p, int64_t s);

// How many problems to draw: LIMELIGHT_RANDOM_PROBLEMS, or `usual`.
uint64_t random_problems(uint64_t usual);

}  // namespace limelight::testing
