// Ctrl-C as a question that long work asks, so that it can end with what it has.
#pragma once

#include <csignal>

namespace limelight::cli {

// While it lives, the first Ctrl-C (SIGINT) is only noted; a second one ends the program as usual. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool asked() const;

 private:
  struct sigaction before_ {};
};

}  // namespace limelight::cli
