// Timing against the machine's own peak, measured between the runs it is compared with, and a table of the results.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "limelight/tensor.h"

namespace limelight::bench {

struct Rate {
  double seconds = 0;      // of one call, the median
  double gflops = 0;       // flop / seconds
  double peak_gflops = 0;  // of multiply-adds on as many threads, the median of those measured between the runs
  double share = 0;        // the median over runs of each run's rate against the peaks right before and after it
};

// Runs `call` (of `flop` operations on `threads` threads) for about `budget` seconds. A run whose two neighbouring
// peaks differ by more than 5 % is left out: the clock or a neighbour changed.
Rate measure(double flop, int threads, const std::function<void()>& call, double budget = 2);

// The median seconds of one call of each of the two, taken in turn.
std::pair<double, double> compare(const std::function<void()>& a, const std::function<void()>& b, double budget = 2);

// Peak resident memory of this process in bytes.
int64_t peak_resident_bytes();

// Standard normal numbers, the same for every run.
Tensor<float, 4> random_tensor(const std::array<int64_t, 4>& sizes, uint32_t seed);

// Rows of named values; printed aligned, or as a JSON list when --json is among the arguments.
class Table {
 public:
  Table(int argc, char** argv);
  using Row = std::vector<std::pair<std::string, std::string>>;
  void add(Row row);  // printed at once when aligned
  ~Table();

 private:
  bool json_ = false;
  std::vector<Row> rows_;
};

std::string number(double value, int decimals);

}  // namespace limelight::bench
