// A case that is set up and can be called again and again.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>

namespace limelight::bench {

class Work {
 public:
  virtual ~Work() = default;
  // Results as f32, NAME.bin each.
  virtual void save(const std::filesystem::path& folder) const = 0;

  // Seconds of one call, calling for about that long; as side.py does it.
  double time(double seconds) {
    const auto repeats = std::max(int64_t{1}, static_cast<int64_t>(seconds / once_));
    if (repeats > 1) call();  // wakes the threads
    return once_ = seconds_of(repeats);
  }

 protected:
  virtual void call() = 0;
  void warm_up() {
    seconds_of(1);
    once_ = seconds_of(1);
  }

 private:
  double seconds_of(int64_t repeats) {
    const auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < repeats; ++i) call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
           static_cast<double>(repeats);
  }

  double once_ = 0;
};

// From the words that follow "case" and "model" (cases.py).
std::unique_ptr<Work> attention_work(std::istream& words);
std::unique_ptr<Work> model_work(std::istream& words);

void write_f32(const std::filesystem::path& path, const float* values, int64_t count);

}  // namespace limelight::bench
