// A file without a name until it is whole, so that not even a killed process leaves one; where the file system has no
// such files, a temporary name in an object that removes it again, whatever fails before the rename.
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
  // `path` is what the caller named: messages show it. Replacing, the bytes go to a file of their own in the same
  // folder.
  Output(const fs::path& path, const fs::path& target, bool replaces) : path_(path) {
    if (replaces && open_nameless(target)) return;
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
    if (::close(std::exchange(number_, -1)) != 0) fail();
  }

  // Flushed, closed and renamed.
  void rename_to(const fs::path& target) {
    if (::fsync(number_) != 0) fail();
    if (!temporary_) give_name(target);
    close();
    if (::rename(opened_.c_str(), target.c_str()) != 0) fail();
    temporary_ = false;
  }

 private:
  // False where the file system has none, or there is no way to name it later.
  bool open_nameless(const fs::path& target) {
    if (::access("/proc/self/fd", X_OK) != 0) return false;
    const fs::path folder = target.has_parent_path() ? target.parent_path() : ".";
    number_ = ::open(folder.c_str(), O_WRONLY | O_CLOEXEC | O_TMPFILE, 0666);
    return number_ >= 0;
  }

  // A name that is taken cannot be given: so a temporary one, which is then renamed.
  void give_name(const fs::path& target) {
    const std::string nameless = "/proc/self/fd/" + std::to_string(number_);
    do {
      opened_ = temporary_name(target);
      temporary_ = ::linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, opened_.c_str(), AT_SYMLINK_FOLLOW) == 0;
    } while (!temporary_ && errno == EEXIST);
    if (!temporary_) fail();
  }

  [[noreturn]] void fail() const {
    fail_file(path_.string() + ": cannot write: " + std::generic_category().message(errno));
  }

  const fs::path& path_;
  fs::path opened_;
  int number_ = -1;
  bool temporary_ = false;  // `opened_` is a file of ours that is to be removed
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
  replaces ? output.rename_to(target) : output.close();
}

}  // namespace limelight::detail
