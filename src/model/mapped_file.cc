// Opens, maps and closes again: a mapping outlives its descriptor.
#include "model/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "core/error.h"

namespace limelight::detail {
namespace {

// Closes when the scope ends, also by an exception.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

[[noreturn]] void fail_reading(const std::filesystem::path& path, const std::string& reason) {
  fail_file(path.string() + ": cannot read: " + reason);
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // Without O_NONBLOCK a pipe would wait for its writer before it can be refused.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status {};
  if (file.number < 0 || ::fstat(file.number, &status) != 0) {
    fail_reading(path, std::generic_category().message(errno));
  }
  if (S_ISDIR(status.st_mode)) fail_reading(path, "expected a file, found a folder");
  if (!S_ISREG(status.st_mode)) fail_reading(path, "expected a file, found a device or pipe");
  size_ = static_cast<size_t>(status.st_size);
  if (size_ == 0) return;
  void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (mapped == MAP_FAILED) fail_reading(path, std::generic_category().message(errno));
  start_ = mapped;
}

MappedFile::~MappedFile() {
  if (start_ != nullptr) ::munmap(start_, size_);
}

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::status(path, error).type() != std::filesystem::file_type::not_found;
}

void release_pages(std::span<const std::byte> part) {
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<uintptr_t>(part.data());
  const uintptr_t begin = (first + page - 1) / page * page, end = (first + part.size()) / page * page;
  // Advice: where it is not taken nothing is lost but the memory.
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace limelight::detail
