// What is read behind the new end comes as SIGBUS. Nothing can go on from there, and little may be called.
#include "shorter_file.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

namespace limelight::cli {
namespace {

void end(int signal, siginfo_t* info, void*) {
  constexpr std::string_view kMessage = "limelight: a file became shorter while it was read; run it again\n";
  if (info->si_code != BUS_ADRERR) {
    std::signal(signal, SIG_DFL);  // no file's: it ends the program
    std::raise(signal);
    return;
  }
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage.data(), kMessage.size());
  _exit(1);
}

}  // namespace

void expect_shorter_files() {
  struct sigaction action {};
  action.sa_sigaction = end;
  action.sa_flags = static_cast<int>(SA_SIGINFO);
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace limelight::cli
