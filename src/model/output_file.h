// A file written whole or not at all: to one beside it, without a name where there is such a thing, flushed to the disk
// and then renamed.
// Devices and pipes cannot be renamed onto and are written as they are.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace limelight::detail {

// Writes the parts one after the other. Throws FileError naming path and reason; then nothing new is left in the
// folder, and a file that was there before is as it was.
void write_file(const std::filesystem::path& path, const std::vector<std::span<const std::byte>>& parts);

}  // namespace limelight::detail
