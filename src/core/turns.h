// Turns that tasks take to add to the same rows: in a fixed order, so that sums have the same bits for any number of
// threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace limelight::detail {

// A counter for every place; whoever waits for turn n goes on when n others have passed. Nobody may wait for a task
// that has not been handed out yet.
class Turns {
 public:
  explicit Turns(int64_t places);

  // False when a task has failed and nobody will pass any more.
  bool wait(int64_t place, int64_t turn) const;
  void pass(int64_t place);
  void fail();

 private:
  std::unique_ptr<std::atomic<int64_t>[]> passed_;
  std::atomic<bool> failed_ = false;
};

}  // namespace limelight::detail
