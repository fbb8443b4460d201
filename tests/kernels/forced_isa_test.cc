// LIMELIGHT_ISA picks the table that runs: each test starts this program again with the variable set.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "kernels/kernels.h"
#include "limelight/runtime.h"

namespace limelight {
namespace {

// The exit code of this program run on one test with LIMELIGHT_ISA=value; its output goes nowhere.
int run_again(const std::string& test, const std::string& value) {
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
  if (length <= 0) return -1;
  const std::string program(self, static_cast<size_t>(length));
  const std::string filter = "--gtest_filter=" + test;
  const pid_t child = fork();
  if (child == 0) {
    setenv("LIMELIGHT_ISA", value.c_str(), 1);
    setenv("LIMELIGHT_TEST_CHILD", "1", 1);
    if (freopen("/dev/null", "w", stdout) == nullptr) _exit(3);
    execl(program.c_str(), program.c_str(), filter.c_str(), "--gtest_also_run_disabled_tests", nullptr);
    _exit(3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Only ever run by run_again.
TEST(DISABLED_ForcedIsaChild, RunsTheOneNamed) {
  const std::string wanted = std::getenv("LIMELIGHT_ISA");
  EXPECT_EQ(active_isa(), wanted);
  const detail::Kernels& active = detail::active_kernels();
  for (const detail::Kernels& table : detail::all_kernels()) {
    // The code itself says for what it was compiled: `target` is written inside the per-target pass.
    EXPECT_EQ(table.target == active.target, table.isa == wanted);
  }
}

TEST(DISABLED_ForcedIsaChild, RefusesUnknownName) {
  try {
    active_isa();
    FAIL() << "no error";
  } catch (const std::invalid_argument& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("LIMELIGHT_ISA"), std::string::npos);
    EXPECT_NE(message.find(available_isas().front()), std::string::npos);
    EXPECT_NE(message.find("'mmx'"), std::string::npos);
  }
}

TEST(ForcedIsa, EveryAvailableOneRunsWhenNamed) {
  for (const std::string& isa : available_isas()) {
    EXPECT_EQ(run_again("DISABLED_ForcedIsaChild.RunsTheOneNamed", isa), 0) << isa;
  }
}

TEST(ForcedIsa, TheCheckCanFail) {
  if (available_isas().size() < 2) GTEST_SKIP() << "one instruction set only";
  EXPECT_NE(run_again("DISABLED_ForcedIsaChild.RunsTheOneNamed", "mmx"), 0);
}

TEST(ForcedIsa, UnknownNameIsRefusedWithTheNamesThereAre) {
  EXPECT_EQ(run_again("DISABLED_ForcedIsaChild.RefusesUnknownName", "mmx"), 0);
}

TEST(ForcedIsa, BestComesFirstAndScalarLast) {
  const auto& tables = detail::all_kernels();
  for (size_t i = 1; i < tables.size(); ++i) EXPECT_GE(tables[i - 1].lanes, tables[i].lanes);
  for (const detail::Kernels& table : tables) {
    EXPECT_EQ(table.panel, 4 * table.lanes);
    EXPECT_EQ(detail::kKeyTile % table.panel, 0);
  }
}

}  // namespace
}  // namespace limelight
