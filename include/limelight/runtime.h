// What runs the work: instruction sets, threads, progress.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace limelight {

// "0.1.0"
std::string version();

// The instruction sets this build holds and this processor has, best first.
// On x86: of "avx512", "avx2", "sse4", "scalar".
std::vector<std::string> available_isas();

// The one in use: the best, or the one named by the environment variable LIMELIGHT_ISA, read once, at the first call
// that computes. Throws std::invalid_argument when that variable names one that is not available.
std::string active_isa();

// Processors this process may run on (its affinity), at least 1.
int available_threads();

// Rates of this machine with `threads` threads at once, measured now (about 0.1 s each).
// In flop a second: f32 multiply-adds of the active instruction set, from registers.
// In bytes a second: a read loop over memory beyond the caches, 192 MiB a thread, allocated for it.
// Throw std::invalid_argument for fewer than one thread.
double measure_peak_flops(int threads);
double measure_read_bandwidth(int threads);

// Asked between tasks with the share done, 0 to 1, from any one thread at a time; returning false stops the work, and
// the call then throws Cancelled.
using Progress = std::function<bool(double)>;

// How a call runs. Results do not depend on it, bit for bit.
struct Run {
  int threads = 0;  // 0: available_threads(); 1: on the calling thread only
  Progress progress = nullptr;
};

}  // namespace limelight
