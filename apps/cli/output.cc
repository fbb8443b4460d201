// System calls rather than streams: every error has a name, and a closed pipe is no surprise.
#include "output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <system_error>

#include "core/error.h"
#include "model/output_file.h"
#include "studio/unicode.h"
#include "studio/wording.h"

namespace limelight::cli {
namespace {

// 0, or the error's number.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

void put_line(std::string_view start, std::string_view line) {
  write_all(STDERR_FILENO, fmt::format("{}{}\n", start, studio::one_line(line)));
}

}  // namespace

void print(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == EPIPE) std::_Exit(1);
  if (error != 0) detail::fail_file(fmt::format("standard output: cannot write: {}", std::strerror(error)));
}

void complain(std::string_view line) {
  put_line("", line);
}

void note(std::string_view line) {
  put_line("note: ", line);
}

int report_failure(const std::function<void()>& work) {
  try {
    work();
    return 0;
  } catch (const std::bad_alloc&) {
    complain("limelight: not enough memory; try a shorter text, fewer rows or a smaller --max-tokens");
  } catch (const std::exception& error) {
    complain(fmt::format("limelight: {}", studio::without_function(error.what())));
  }
  return 1;
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  detail::write_file(path, {std::as_bytes(std::span(content))});
}

std::string overwriting(std::string_view option, const std::filesystem::path& path,
                        const std::filesystem::path& input) {
  std::error_code absent;
  if (!std::filesystem::equivalent(path, input, absent) || !std::filesystem::is_regular_file(input, absent)) return "";
  return fmt::format("{} {} is the file that is read; name another", option, path.native());
}

std::string written_twice(std::string_view option, const std::filesystem::path& path, std::string_view other_option,
                          const std::filesystem::path& other) {
  std::error_code unknown;
  const auto whole = [&unknown](const std::filesystem::path& p) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(p, unknown), unknown);
  };
  const bool device = std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown);
  const bool same = std::filesystem::equivalent(path, other, unknown) || whole(path) == whole(other);
  if (path.empty() || other.empty() || device || !same) return "";
  return fmt::format("{} and {} are one file, {}; name another", option, other_option, path.native());
}

std::string size_text(double bytes) {
  if (bytes < 1e6) return fmt::format("{:.1f} KB", bytes / 1e3);
  return bytes < 1e9 ? fmt::format("{:.1f} MB", bytes / 1e6) : fmt::format("{:.1f} GB", bytes / 1e9);
}

std::string read_file(const std::string& path) {
  const int file = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) detail::fail_file(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  std::string text;
  char block[1 << 16];
  ssize_t count = 0;
  while ((count = read(file, block, sizeof block)) != 0) {
    if (count > 0) text.append(block, static_cast<size_t>(count));
    if (count < 0 && errno != EINTR) break;
  }
  const int error = errno;
  if (file != STDIN_FILENO) close(file);
  if (count < 0) {
    detail::fail_file(
        fmt::format("{}: cannot be read: {}", path == "-" ? "standard input" : path, std::strerror(error)));
  }
  return text;
}

}  // namespace limelight::cli
