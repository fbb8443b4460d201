// The parallel loop: every task once, in ascending order, on no more threads than asked; errors and cancelling stop it.
#include "core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "limelight/error.h"

namespace limelight::detail {
namespace {

TEST(Parallel, SameWorkForAnyThreadCount) {
  for (int threads : {0, 1, 2, 3, 7, 64}) {
    for (int64_t count : {0, 1, 2, 5, 1000}) {
      std::vector<std::atomic<int>> times(static_cast<size_t>(count));
      parallel_for(count, {.threads = threads}, "test", [&](int64_t index) { ++times[static_cast<size_t>(index)]; });
      for (const auto& n : times) EXPECT_EQ(n, 1) << threads << " threads, " << count << " tasks";
    }
  }
}

TEST(Parallel, NegativeCountIsNoWork) {
  parallel_for(-3, {.threads = 2}, "test", [](int64_t) { FAIL(); });
}

TEST(Parallel, TasksAreHandedOutLowestFirst) {
  std::vector<int64_t> order;
  parallel_for(50, {.threads = 1}, "test", [&](int64_t index) { order.push_back(index); });
  for (int64_t n = 0; n < 50; ++n) EXPECT_EQ(order[static_cast<size_t>(n)], n);
  // When a task begins, each other thread may hold one lower index that has not begun yet, and no more.
  for (int threads : {2, 3, 8}) {
    std::atomic<int64_t> begun{0}, early{0};
    parallel_for(5000, {.threads = threads}, "test", [&](int64_t index) { early += begun++ < index - (threads - 1); });
    EXPECT_EQ(early, 0) << threads;
  }
}

// Waits for `condition`, but not for ever.
template <class Condition>
bool comes_true(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(Parallel, AsManyThreadsAsAskedAndNoMore) {
  for (int threads : {1, 2, 3, 7}) {
    std::atomic<int> inside{0};
    std::mutex mutex;
    std::set<std::thread::id> seen;
    parallel_for(200, {.threads = threads}, "test", [&](int64_t index) {
      EXPECT_LE(++inside, threads);
      {
        const std::lock_guard lock(mutex);
        seen.insert(std::this_thread::get_id());
      }
      // The first tasks wait for each other: each needs a thread of its own.
      if (index < threads) {
        EXPECT_TRUE(comes_true([&] {
          const std::lock_guard lock(mutex);
          return static_cast<int>(seen.size()) == threads;
        }));
      }
      --inside;
    });
    EXPECT_EQ(static_cast<int>(seen.size()), threads);
  }
}

TEST(Parallel, OneThreadOrOneTaskStaysOnTheCallingThread) {
  const std::thread::id caller = std::this_thread::get_id();
  parallel_for(20, {.threads = 1}, "test", [&](int64_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
  parallel_for(1, {.threads = 4}, "test", [&](int64_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

// Tasks after the one that throws last a while: those under way are waited for, and no new ones begun.
TEST(Parallel, ExceptionStopsTheHandingOutAndIsRethrownWhenNothingIsUnderWay) {
  for (int threads : {1, 2, 3}) {
    std::atomic<int64_t> begun{0}, ended{0};
    std::atomic<bool> thrown{false};
    EXPECT_THROW(parallel_for(100000, {.threads = threads}, "test",
                              [&](int64_t index) {
                                ++begun;
                                if (index == 10) {
                                  ++ended;
                                  thrown = true;
                                  throw std::out_of_range("ten");
                                }
                                if (index > 10) {
                                  EXPECT_TRUE(comes_true([&] { return thrown.load(); }));
                                  std::this_thread::sleep_for(std::chrono::milliseconds(5));
                                }
                                ++ended;
                              }),
                 std::out_of_range);
    EXPECT_GE(begun, 11);
    EXPECT_LT(begun, 1000) << threads;
    EXPECT_EQ(ended, begun) << threads;
  }
}

TEST(Parallel, OneOfManyExceptionsIsRethrownAndNoThreadThrowsTwice) {
  for (int threads : {1, 4}) {
    std::mutex mutex;
    std::set<std::string> thrown;
    std::string caught;
    try {
      parallel_for(100, {.threads = threads}, "test", [&](int64_t index) {
        {
          const std::lock_guard lock(mutex);
          thrown.insert(std::to_string(index));
        }
        throw std::runtime_error(std::to_string(index));
      });
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
    EXPECT_EQ(thrown.count(caught), 1u) << threads << " threads, caught '" << caught << "'";
    EXPECT_LE(static_cast<int>(thrown.size()), threads);
    EXPECT_TRUE(threads > 1 || caught == "0") << caught;
  }
}

TEST(Parallel, ProgressRisesFromAboveZeroToOneFromOneThreadAtATime) {
  for (int threads : {1, 2, 3}) {
    std::vector<double> reports;
    std::atomic<int> inside{0};
    const limelight::Run run{threads, [&](double done) {
                               EXPECT_EQ(++inside, 1);
                               reports.push_back(done);
                               --inside;
                               return true;
                             }};
    parallel_for(300, run, "test", [](int64_t) {});
    ASSERT_EQ(reports.size(), 300u);
    EXPECT_TRUE(std::is_sorted(reports.begin(), reports.end()));
    EXPECT_GT(reports.front(), 0);
    EXPECT_EQ(reports.back(), 1);
  }
}

TEST(Parallel, SayingNoCancelsAndNamesTheCall) {
  for (int threads : {1, 2, 3}) {
    std::atomic<int64_t> run{0};
    const limelight::Run no{threads, [](double done) { return done < 0.01; }};
    try {
      parallel_for(100000, no, "my call", [&](int64_t) { ++run; });
      ADD_FAILURE() << "not cancelled";
    } catch (const Cancelled& error) {
      EXPECT_NE(std::string(error.what()).find("[my call]"), std::string::npos) << error.what();
    }
    EXPECT_GE(run, 1000);
    EXPECT_LT(run, 100000);
  }
}

TEST(Parallel, ExceptionOfTheProgressCallbackIsRethrown) {
  for (int threads : {1, 2}) {
    const limelight::Run bad{threads, [](double) -> bool { throw std::domain_error("progress"); }};
    EXPECT_THROW(parallel_for(50, bad, "test", [](int64_t) {}), std::domain_error);
  }
}

TEST(Parallel, LoopsMayNestAndRunFromManyThreadsAtOnce) {
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int n = 0; n < 4; ++n) {
    callers.emplace_back([&] {
      parallel_for(10, {.threads = 2}, "outer",
                   [&](int64_t) { parallel_for(10, {.threads = 2}, "inner", [&](int64_t index) { sum += index; }); });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 10 * 45);
}

TEST(Parallel, ThreadCountZeroIsAllAndNegativeIsRefused) {
  EXPECT_EQ(thread_count({}), available_threads());
  EXPECT_EQ(thread_count({.threads = 5}), 5);
  EXPECT_GE(available_threads(), 1);
  EXPECT_THROW(thread_count({.threads = -1}), std::invalid_argument);
}

}  // namespace
}  // namespace limelight::detail
