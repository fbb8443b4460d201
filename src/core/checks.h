// Checks at the door, and their one wording: "[attention] k: expected [2, 8, 128, 64], found [2, 8, 128, 80]".
// `where` names the call, `field` its argument. All throw std::invalid_argument.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace limelight::detail {

[[noreturn]] void refuse(std::string_view where, std::string_view field, std::string_view expected,
                         std::string_view found);

// A number as it is found in a message; std::to_string() shows a small one as 0.
std::string number_text(double x);

// least <= value <= most.
void check_range(std::string_view where, std::string_view field, int64_t value, int64_t least, int64_t most);

// The expected sizes; -1 stands for any size of at least 0.
void check_sizes(std::string_view where, std::string_view field, std::span<const int64_t> expected,
                 std::span<const int64_t> found);

// Sizes at least 0, and memory wherever there is an element.
void check_memory(std::string_view where, std::string_view field, const void* data, std::span<const int64_t> sizes);

// The same of a view: TensorView, FloatView or FloatOutput.
template <class View>
void check_view(std::string_view where, std::string_view field, const View& view) {
  check_memory(where, field, view.data, view.sizes);
}

// And that it has exactly these sizes.
template <class View>
void check_view(std::string_view where, std::string_view field, const View& view, std::span<const int64_t> expected) {
  check_view(where, field, view);
  check_sizes(where, field, expected, view.sizes);
}

}  // namespace limelight::detail
