// Writing: what was added is read back, aligned; a failure leaves the folder as it was.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "limelight/error.h"
#include "limelight/safetensors.h"
#include "tests/model/temporary_folder.h"
#include "tests/model/thrown.h"

namespace limelight::testing {
namespace {

namespace fs = std::filesystem;

SafetensorsWriter writer_of(const Tensor<float, 2>& tensor) {
  SafetensorsWriter writer;
  writer.add("x", tensor);
  return writer;
}

// The message of a write to `path`, less the path in front.
std::string write_error(const SafetensorsWriter& writer, const fs::path& path) {
  const std::string error = thrown<FileError>([&] { writer.write(path); });
  const std::string start = path.string() + ": ";
  return error.starts_with(start) ? error.substr(start.size()) : "without the path: " + error;
}

TEST(SafetensorsWriting, WhatIsWrittenIsReadBack) {
  const TemporaryFolder folder;
  Tensor<uint8_t, 1> bytes({3});
  Tensor<float, 3> floats({2, 1, 2});
  Tensor<float, 2> none({0, 4});
  Tensor<int64_t, 1> integers({2});
  bytes(1) = 7;
  floats(1, 0, 1) = -2.5f;
  integers(0) = -9;
  const double scalar = 0.1;
  const std::string name = "quote \" slash \\ line\n caf\xc3\xa9";
  SafetensorsWriter writer;
  writer.add("bytes", bytes);
  writer.add(name, floats);
  writer.add("none", none);
  writer.add("scalar", Dtype::kF64, {}, &scalar);
  writer.add("integers", integers);
  writer.add_metadata("made", "once");
  writer.add_metadata("made", "twice");
  writer.write(folder / "f");

  const auto file = SafetensorsFile::open(folder / "f");
  ASSERT_EQ(file.tensors().size(), 5u);
  EXPECT_EQ((read_tensor<uint8_t, 1>(file, *file.find("bytes"))(1)), 7);
  EXPECT_EQ((read_tensor<float, 3>(file, *file.find(name))(1, 0, 1)), -2.5f);
  EXPECT_EQ(file.find("none")->shape, (std::vector<int64_t>{0, 4}));
  EXPECT_EQ((read_tensor<int64_t, 1>(file, *file.find("integers"))(0)), -9);
  EXPECT_EQ(std::memcmp(file.find("scalar")->bytes.data(), &scalar, sizeof(scalar)), 0);
  EXPECT_EQ(file.metadata(), (std::vector<std::pair<std::string, std::string>>{{"made", "twice"}}));
  EXPECT_EQ(file.find("absent"), nullptr);
  for (const TensorInfo& info : file.tensors()) {
    // A mapping begins at a page, so the address tells the place in the file.
    EXPECT_EQ(reinterpret_cast<uintptr_t>(info.bytes.data()) % static_cast<uintptr_t>(dtype_bytes(info.dtype)), 0u)
        << info.name;
  }
  EXPECT_EQ(folder.names(), (std::set<std::string>{"f"}));
}

TEST(SafetensorsWriting, SixteenBitTensorsAreWrittenAsTheyAre) {
  const TemporaryFolder folder;
  Tensor<Float16, 1> halves({2});
  Tensor<BFloat16, 2> brains({1, 1});
  halves(1) = {0xfe01};
  brains(0, 0) = {0x7f81};
  SafetensorsWriter writer;
  writer.add("halves", halves);
  writer.add("brains", brains);
  writer.write(folder / "f");
  const auto file = SafetensorsFile::open(folder / "f");
  EXPECT_EQ(file.find("halves")->dtype, Dtype::kF16);
  EXPECT_EQ(file.find("brains")->dtype, Dtype::kBf16);
  EXPECT_EQ((read_tensor<Float16, 1>(file, *file.find("halves"))(1).bits), 0xfe01);
  EXPECT_EQ((read_tensor<BFloat16, 2>(file, *file.find("brains"))(0, 0).bits), 0x7f81);
}

TEST(SafetensorsWriting, EmptyFileIsValid) {
  const TemporaryFolder folder;
  SafetensorsWriter().write(folder / "f");
  EXPECT_EQ(fs::file_size(folder / "f"), 16u);
  EXPECT_TRUE(SafetensorsFile::open(folder / "f").tensors().empty());
}

TEST(SafetensorsWriting, PlaceThatCannotBeWrittenIsNamed) {
  const TemporaryFolder folder;
  const Tensor<float, 2> x({2, 2});
  const SafetensorsWriter writer = writer_of(x);
  write_text(folder / "file", "kept");
  fs::create_directory(folder / "sub");
  EXPECT_EQ(write_error(writer, folder / "none/f"), "cannot write: No such file or directory");
  EXPECT_EQ(write_error(writer, folder / "file/f"), "cannot write: Not a directory");
  EXPECT_EQ(write_error(writer, folder / "sub"), "cannot write: Is a directory");
  EXPECT_EQ(write_error(writer, folder / std::string(300, 'n')), "cannot write: File name too long");
  EXPECT_EQ(folder.names(), (std::set<std::string>{"file", "sub"}));
}

TEST(SafetensorsWriting, UnwritableFolderIsNamed) {
  const TemporaryFolder folder;
  const Tensor<float, 2> x({2, 2});
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  // Root may write everywhere, so it acts as somebody else for one call.
  constexpr uid_t kNobody = 65534;
  const uid_t user = ::geteuid();
  ASSERT_TRUE(user != 0 || ::seteuid(kNobody) == 0);
  const std::string error = write_error(writer_of(x), folder / "f");
  ASSERT_EQ(::seteuid(user), 0);
  EXPECT_EQ(error, "cannot write: Permission denied");
  fs::permissions(folder.path(), fs::perms::owner_all);
  EXPECT_TRUE(folder.names().empty());
}

TEST(SafetensorsWriting, FailureHalfWayLeavesTheOldFileAlone) {
  const TemporaryFolder folder;
  write_text(folder / "f", "old");
  const Tensor<float, 2> x({1 << 8, 1 << 8});
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4096, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error = write_error(writer_of(x), folder / "f");
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(error, "cannot write: File too large");
  EXPECT_EQ(folder.names(), (std::set<std::string>{"f"}));
  EXPECT_EQ(read_text(folder / "f"), "old");
}

// Where files may be without a name: a kill comes half way through, as Ctrl-C may.
TEST(SafetensorsWriting, AKilledProcessLeavesNothing) {
  const TemporaryFolder folder;
  const int nameless = ::open(folder.path().c_str(), O_WRONLY | O_TMPFILE, 0666);
  if (nameless < 0) GTEST_SKIP() << "the file system has no files without a name";
  ::close(nameless);
  const Tensor<float, 2> x({1 << 8, 1 << 8});
  const auto killed_half_way = [&] {
    const rlimit small{4096, 4096};
    std::signal(SIGXFSZ, SIG_DFL);
    ::setrlimit(RLIMIT_FSIZE, &small);
    writer_of(x).write(folder / "f");
  };
  EXPECT_EXIT(killed_half_way(), ::testing::KilledBySignal(SIGXFSZ), "");
  EXPECT_TRUE(folder.names().empty());
}

TEST(SafetensorsWriting, DeviceIsWrittenNotReplaced) {
  const Tensor<float, 2> x({2, 2});
  EXPECT_EQ(write_error(writer_of(x), "/dev/full"), "cannot write: No space left on device");
  writer_of(x).write("/dev/null");
  struct stat status {};
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST(SafetensorsWriting, LinkStaysALink) {
  const TemporaryFolder folder;
  write_text(folder / "target", "old");
  fs::create_symlink("target", folder / "link");
  const Tensor<float, 2> x({2, 2});
  writer_of(x).write(folder / "link");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(SafetensorsFile::open(folder / "target").tensors().size(), 1u);
}

TEST(SafetensorsWriting, LeftoverOfAKilledProcessIsNotInTheWay) {
  const TemporaryFolder folder;
  for (int call = 0; call < 20; ++call) {
    write_text(folder / (".limelight-" + std::to_string(::getpid()) + "-" + std::to_string(call) + ".part"), "left");
  }
  const Tensor<float, 2> x({2, 2});
  writer_of(x).write(folder / "f");
  EXPECT_EQ(SafetensorsFile::open(folder / "f").tensors().size(), 1u);
  EXPECT_EQ(folder.names().size(), 21u);
}

TEST(SafetensorsWriting, NamesAndSizesAreCheckedAtTheDoor) {
  const TemporaryFolder folder;
  const Tensor<float, 2> x({2, 2});
  const auto error = [](const auto& call) { return thrown<std::invalid_argument>(call); };
  SafetensorsWriter writer = writer_of(x);
  const std::string in_use = ": expected a name that is not in use";
  EXPECT_EQ(error([&] { writer.add("x", x); }), "[SafetensorsWriter] tensor 'x'" + in_use);
  EXPECT_EQ(error([&] { writer.add("__metadata__", x); }), "[SafetensorsWriter] tensor '__metadata__'" + in_use);
  const std::string sizes =
      "[SafetensorsWriter] tensor 'y' shape: expected sizes from 0 with a product below 2^63, found ";
  EXPECT_EQ(error([&] { writer.add("y", Dtype::kF32, {-1}, nullptr); }), sizes + "[-1]");
  EXPECT_EQ(error([&] {
              writer.add("y", Dtype::kF32, {1, int64_t{1} << 62}, nullptr);
            }),
            sizes + "[1, 4611686018427387904]");
  writer.add("\xff", x);
  EXPECT_EQ(error([&] { writer.write(folder / "f"); }), "[SafetensorsWriter] expected names and metadata in UTF-8");
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace limelight::testing
