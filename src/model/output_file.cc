// The temporary name lives in an object that removes it again, whatever fails before the rename.
#include "model/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace limelight::detail {
namespace {

namespace fs = std::filesystem;

// A name beside `target`, another one at each call. A killed process with this number may have left it behind.
fs::path temporary_name(const fs::path& target) {
  static std::atomic<uint64_t> calls{0};
  const std::string name = ".limelight-" + std::to_string(::getpid()) + "-" + std::to_string(calls++) + ".part";
  return target.parent_path() / name;
}

class Output {
 public:
  // `path` is what the caller named: messages show it. Replacing, the bytes go to a temporary name beside `target`.
  Output(const fs::path& path, const fs::path& target, bool replaces) : path_(path) {
    const int flags = O_WRONLY | O_CLOEXEC | (replaces ? O_CREAT | O_EXCL : 0);
    do {
      opened_ = replaces ? temporary_name(target) : target;
      number_ = ::open(opened_.c_str(), flags, 0666);
    } while (number_ < 0 && (errno == EINTR || (replaces && errno == EEXIST)));
    if (number_ < 0) fail();
    temporary_ = replaces;
  }

  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  ~Output() {
    if (number_ >= 0) ::close(number_);
    if (temporary_) ::unlink(opened_.c_str());
  }

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(number_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail();
      bytes = bytes.subspan(static_cast<size_t>(written));
    }
  }

  void close() {
    // A pipe or device has nothing to flush.
    if (temporary_ && ::fsync(number_) != 0) fail();
    if (::close(std::exchange(number_, -1)) != 0) fail();
  }

  void rename_to(const fs::path& target) {
    if (::rename(opened_.c_str(), target.c_str()) != 0) fail();
    temporary_ = false;
  }

 private:
  [[noreturn]] void fail() const {
    fail_file(path_.string() + ": cannot write: " + std::generic_category().message(errno));
  }

  const fs::path& path_;
  fs::path opened_;
  int number_ = -1;
  bool temporary_ = false;  // a file of ours that is to be removed
};

}  // namespace

void write_file(const fs::path& path, const std::vector<std::span<const std::byte>>& parts) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const bool replaces = !fs::exists(status) || fs::is_regular_file(status);
  // A link to a file stays a link: that file is replaced. One that leads nowhere is replaced itself.
  const fs::path target = fs::is_regular_file(status) ? fs::canonical(path, error) : path;
  Output output(path, target, replaces);
  for (const auto part : parts) output.write(part);
  output.close();
  if (replaces) output.rename_to(target);
}

}  // namespace limelight::detail
