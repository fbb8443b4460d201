// A progress bar for work that takes longer than a second, drawn on standard error where that is a terminal.
#pragma once

#include <chrono>
#include <string>

#include "limelight/runtime.h"

namespace limelight::cli {

class ProgressBar {
 public:
  explicit ProgressBar(std::string what);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(double done);
  void finish();        // clears the line, as the end of the scope does
  Progress callback();  // for Run::progress; valid while the bar lives

 private:
  std::string what_;
  bool terminal_;
  bool drawn_ = false;
  int percent_ = -1;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace limelight::cli
