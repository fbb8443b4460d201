// A signal may only set a flag.
#include "interrupt.h"

#include <atomic>

namespace limelight::cli {
namespace {

std::atomic<bool> noted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

Interrupt::Interrupt() {
  noted = false;
  struct sigaction action {};
  action.sa_handler = [](int) { noted = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, &before_);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &before_, nullptr);
}

bool Interrupt::asked() const {
  return noted;
}

}  // namespace limelight::cli
