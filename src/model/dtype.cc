// The table of element types: name and size of each, in the order of the enum.
#include "model/dtype.h"

#include <array>

namespace limelight {
namespace {

struct Row {
  Dtype dtype;
  std::string_view name;
  int64_t bytes;
};

constexpr std::array<Row, 13> kRows = {{{Dtype::kBool, "BOOL", 1},
                                        {Dtype::kU8, "U8", 1},
                                        {Dtype::kI8, "I8", 1},
                                        {Dtype::kI16, "I16", 2},
                                        {Dtype::kU16, "U16", 2},
                                        {Dtype::kF16, "F16", 2},
                                        {Dtype::kBf16, "BF16", 2},
                                        {Dtype::kI32, "I32", 4},
                                        {Dtype::kU32, "U32", 4},
                                        {Dtype::kF32, "F32", 4},
                                        {Dtype::kI64, "I64", 8},
                                        {Dtype::kU64, "U64", 8},
                                        {Dtype::kF64, "F64", 8}}};

const Row& row(Dtype dtype) {
  return kRows[static_cast<size_t>(dtype)];
}

}  // namespace

int64_t dtype_bytes(Dtype dtype) {
  return row(dtype).bytes;
}
std::string_view dtype_name(Dtype dtype) {
  return row(dtype).name;
}

namespace detail {

std::optional<Dtype> find_dtype(std::string_view name) {
  for (const Row& candidate : kRows) {
    if (candidate.name == name) return candidate.dtype;
  }
  return std::nullopt;
}

std::string dtype_list() {
  std::string list;
  for (const Row& candidate : kRows) list += (list.empty() ? "" : ", ") + std::string(candidate.name);
  return list;
}

}  // namespace detail
}  // namespace limelight
