// Redrawn only when its number changes.
#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace limelight::cli {

ProgressBar::ProgressBar(std::string what) : what_(std::move(what)), terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  finish();
}

void ProgressBar::finish() {
  if (std::exchange(drawn_, false)) fmt::print(stderr, "\r\033[K");
}

void ProgressBar::show(double done) {
  constexpr int kCells = 24;
  const int percent = static_cast<int>(std::clamp(done, 0.0, 1.0) * 100);
  if (!terminal_ || percent == percent_) return;
  if (std::chrono::steady_clock::now() - start_ < std::chrono::seconds(1)) return;
  percent_ = percent;
  drawn_ = true;
  std::string bar;
  for (int i = 0; i < kCells; ++i) bar += i * 100 < percent * kCells ? "━" : "─";
  fmt::print(stderr, "\r{} {} {:3} %\033[K", what_, bar, percent);
}

Progress ProgressBar::callback() {
  return [this](double done) {
    show(done);
    return true;
  };
}

}  // namespace limelight::cli
