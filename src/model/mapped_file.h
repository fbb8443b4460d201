// A file's bytes, read through a mapping: nothing is copied, and pages come when they are touched.
// A file that another process shortens while it is mapped is not guarded against.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace limelight::detail {

class MappedFile {
 public:
  // Throws FileError unless `path` is a regular file that can be read.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(start_), size_}; }

 private:
  void* start_ = nullptr;
  size_t size_ = 0;
};

// Whether a folder has this file. One that cannot even be looked for counts: reading it tells why.
bool is_there(const std::filesystem::path& path);

// Lets the pages that lie whole in this part of a mapped file leave memory; they come again when they are touched.
void release_pages(std::span<const std::byte> part);

}  // namespace limelight::detail
