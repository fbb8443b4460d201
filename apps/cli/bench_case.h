// One measurement of `limelight bench`: what is timed, and on which shape.
#pragma once

#include <cstdint>

#include "limelight/attention.h"
#include "rate.h"

namespace limelight::cli {

enum class Subject { kAttention, kBackward, kDecode };

struct BenchCase {
  Subject subject = Subject::kAttention;
  int64_t batch = 1, heads = 1, groups = 1, queries = 0, keys = 0, head_size = 0, value_size = 0;  // B H G M N D E
  Storage storage = Storage::kF32;
  Causal causal = Causal::kNone;
  int64_t threads = 0;
};

// Work and limit are flop of multiply-adds, counting live pairs only: 2 (D + E) each, with backward 2 (4 D + 3 E) for
// both passes; for decode bytes of the keys and values, and a read loop. Keys and values of decode come from memory,
// not from the caches of the call before.
Rate measure_case(const BenchCase& c, int64_t runs);

// The least that a call takes, at the peak of its threads: about, and 0 where that is too short to be measured.
double least_seconds(const BenchCase& c);

}  // namespace limelight::cli
