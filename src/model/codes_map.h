// A map from code points, looked up by view.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace limelight::detail {

struct CodesHash {
  using is_transparent = void;
  size_t operator()(std::u32string_view codes) const { return std::hash<std::u32string_view>()(codes); }
};
template <class T>
using CodesMap = std::unordered_map<std::u32string, T, CodesHash, std::equal_to<>>;

}  // namespace limelight::detail
