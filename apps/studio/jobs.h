// Work that waits for its turn and is then done on one of few threads, while whoever asked for it looks on.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "answer.h"

namespace limelight::studio {

// One request: its news come out in order, the reply last. Nobody's waiting holds up the work.
class Job {
 public:
  explicit Job(Request request) : request_(std::move(request)) {}

  struct News {
    enum class Kind { kProgress, kPart, kReply } kind = Kind::kProgress;
    std::string json;
    int status = 200;
  };

  // The next news; nothing where there is none in time.
  std::optional<News> next(std::chrono::milliseconds time);

  void cancel() { cancelled_ = true; }

  // For the thread that does the work.
  void run(Studio& studio);

 private:
  void add(News news);

  const Request request_;
  std::atomic<bool> cancelled_ = false;
  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<News> news_;
};

class Jobs {
 public:
  static constexpr size_t kThreads = 2;
  static constexpr size_t kWaiting = 16;

  explicit Jobs(Studio& studio);
  ~Jobs();  // cancels what is under way and waits for it

  // Null where too much is waiting already.
  std::shared_ptr<Job> start(Request request);

  // Cancels it; one that still waits gives its place free.
  void leave(const std::shared_ptr<Job>& job);

 private:
  void serve();

  Studio& studio_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  std::deque<std::shared_ptr<Job>> waiting_;
  std::vector<std::shared_ptr<Job>> working_;
  std::vector<std::thread> threads_;
};

}  // namespace limelight::studio
