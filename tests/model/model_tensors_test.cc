// Weights are in memory once: what was copied out of a file's mapping does not stay there.
#include "model/model_tensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/model/temporary_folder.h"

namespace limelight::testing {
namespace {

// Pages of mapped files, by the kernel's count.
int64_t mapped_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    std::istringstream fields(line);
    std::string name;
    int64_t count = 0;
    if (fields >> name >> count && name == "RssFile:") return count;
  }
  return -1;
}

TEST(ModelTensors, WhatWasCopiedLeavesMemory) {
  constexpr int64_t kRows = 2048, kColumns = 4096;  // 32 MB
  const TemporaryFolder folder;
  const std::vector<float> ones(static_cast<size_t>(kRows * kColumns), 1.0f);
  SafetensorsWriter writer;
  for (const char* name : {"copied", "released"}) writer.add(name, Dtype::kF32, {kRows, kColumns}, ones.data());
  writer.write(folder.path() / "model.safetensors");
  detail::ModelTensors tensors(folder.path());
  const int64_t before = mapped_kilobytes();
  if (before < 0) GTEST_SKIP() << "this kernel does not count them";
  EXPECT_EQ(tensors.take_floats<2>("copied", {kRows, kColumns}, "the test")(kRows - 1, kColumns - 1), 1);
  EXPECT_LT(mapped_kilobytes() - before, 4096);
  const auto bytes = tensors.take("released", {kRows, kColumns}, "the test").bytes;
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), std::byte{0x3f}), kRows * kColumns);
  EXPECT_GT(mapped_kilobytes() - before, 16384);
  tensors.release("released");
  EXPECT_LT(mapped_kilobytes() - before, 4096);
}

}  // namespace
}  // namespace limelight::testing
