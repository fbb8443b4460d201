// Only these threads compute, so only they keep the scratch memory that computing leaves with a thread.
#include "jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace limelight::studio {

std::optional<Job::News> Job::next(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  if (!added_.wait_for(lock, time, [this] { return !news_.empty(); })) return std::nullopt;
  News first = std::move(news_.front());
  news_.pop_front();
  return first;
}

// Of progress only the last is kept.
void Job::add(News news) {
  const std::lock_guard lock(mutex_);
  if (!news_.empty() && news_.back().kind == News::Kind::kProgress) news_.pop_back();
  news_.push_back(std::move(news));
  added_.notify_one();
}

void Job::run(Studio& studio) {
  constexpr auto kBetween = std::chrono::milliseconds(50);
  auto told = std::chrono::steady_clock::now();
  const Listener listener{.progress =
                              [&](double done) {
                                if (const auto now = std::chrono::steady_clock::now(); now - told > kBetween) {
                                  told = now;
                                  add({News::Kind::kProgress, fmt::format("{{\"done\":{:.4f}}}", done)});
                                }
                                return !cancelled_;
                              },
                          .part =
                              [this](const std::string& json) {
                                add({News::Kind::kPart, json});
                              }};
  try {
    Reply reply = answer(studio, request_, listener);
    add({News::Kind::kReply, std::move(reply.body), reply.status});
  } catch (const std::bad_alloc&) {
    add({News::Kind::kReply, R"({"error":{"field":null,"expected":null,"found":null,"message":"out of memory"}})",
         503});
  }
}

Jobs::Jobs(Studio& studio) : studio_(studio) {
  for (size_t i = 0; i < kThreads; ++i) threads_.emplace_back([this] { serve(); });
}

Jobs::~Jobs() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (const auto& job : working_) job->cancel();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::shared_ptr<Job> Jobs::start(Request request) {
  const std::lock_guard lock(mutex_);
  if (ending_ || waiting_.size() >= kWaiting) return nullptr;
  waiting_.push_back(std::make_shared<Job>(std::move(request)));
  changed_.notify_one();
  return waiting_.back();
}

void Jobs::leave(const std::shared_ptr<Job>& job) {
  job->cancel();
  const std::lock_guard lock(mutex_);
  std::erase(waiting_, job);
}

void Jobs::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (ending_) return;
    const std::shared_ptr<Job> job = waiting_.front();
    waiting_.pop_front();
    working_.push_back(job);
    lock.unlock();
    job->run(studio_);
    lock.lock();
    std::erase(working_, job);
  }
}

}  // namespace limelight::studio
