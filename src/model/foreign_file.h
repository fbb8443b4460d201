// What a file that was taken for another kind looks like, as the end of the sentence that refuses it.
#pragma once

#include <string_view>

namespace limelight::detail {

// By how it starts: "; it looks like a zip archive, ...", or "" where nothing is known. `taken_for` is not named.
enum class ModelFile { kSafetensors, kGguf, kJson };
std::string_view foreign_hint(std::string_view start, ModelFile taken_for);

}  // namespace limelight::detail
