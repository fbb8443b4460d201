// The parallel loop: every task once, in ascending order, on no more threads than asked; errors and cancelling stop it.
#include "core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
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
  // Each thread by itself sees ascending indices.
  std::atomic<bool> ascending{true};
  parallel_for(2000, {.threads = 3}, "test", [&](int64_t index) {
    thread_local int64_t last = -1;
    if (index < last && index != 0) ascending = false;
    last = index == 1999 ? -1 : index;
  });
  EXPECT_TRUE(ascending);
}

TEST(Parallel, NoMoreThreadsThanAsked) {
  for (int threads : {1, 2, 3}) {
    std::atomic<int> now{0}, most{0};
    parallel_for(200, {.threads = threads}, "test", [&](int64_t) {
      int seen = ++now;
      for (int old = most; seen > old && !most.compare_exchange_weak(old, seen);) {
      }
      std::this_thread::yield();
      --now;
    });
    EXPECT_LE(most, threads);
  }
}

TEST(Parallel, OneThreadOrOneTaskStaysOnTheCallingThread) {
  const std::thread::id caller = std::this_thread::get_id();
  parallel_for(20, {.threads = 1}, "test", [&](int64_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
  parallel_for(1, {.threads = 4}, "test", [&](int64_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

TEST(Parallel, ExceptionStopsTheHandingOutAndIsRethrown) {
  for (int threads : {1, 2, 3}) {
    std::atomic<int64_t> run{0}, under_way{0};
    EXPECT_THROW(parallel_for(100000, {.threads = threads}, "test",
                              [&](int64_t index) {
                                ++under_way;
                                ++run;
                                --under_way;
                                if (index == 10) throw std::out_of_range("ten");
                              }),
                 std::out_of_range);
    EXPECT_LT(run, 100000) << threads;
    EXPECT_EQ(under_way, 0);
  }
}

TEST(Parallel, FirstOfManyExceptionsIsTheOneRethrown) {
  for (int threads : {1, 4}) {
    EXPECT_THROW(
        parallel_for(100, {.threads = threads}, "test", [](int64_t) { throw std::runtime_error("every one"); }),
        std::runtime_error);
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
