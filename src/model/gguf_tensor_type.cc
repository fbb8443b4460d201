// The table of GGML's tensor types.
#include "model/gguf_tensor_type.h"

#include <string_view>

namespace limelight::detail {
namespace {

struct Row {
  uint64_t id;
  WeightType type;
};

constexpr Row kRead[] = {{0, WeightType::kF32},  {1, WeightType::kF16},  {30, WeightType::kBf16},
                         {8, WeightType::kQ8_0}, {2, WeightType::kQ4_0}, {3, WeightType::kQ4_1},
                         {6, WeightType::kQ5_0}, {7, WeightType::kQ5_1}, {12, WeightType::kQ4K},
                         {14, WeightType::kQ6K}};

struct Name {
  uint64_t id;
  std::string_view name;
};

constexpr Name kOthers[] = {{9, "Q8_1"},     {10, "Q2_K"},   {11, "Q3_K"},    {13, "Q5_K"},  {15, "Q8_K"},
                            {16, "IQ2_XXS"}, {17, "IQ2_XS"}, {18, "IQ3_XXS"}, {19, "IQ1_S"}, {20, "IQ4_NL"},
                            {21, "IQ3_S"},   {22, "IQ2_S"},  {23, "IQ4_XS"},  {24, "I8"},    {25, "I16"},
                            {26, "I32"},     {27, "I64"},    {28, "F64"},     {29, "IQ1_M"}, {34, "TQ1_0"},
                            {35, "TQ2_0"},   {39, "MXFP4"},  {40, "NVFP4"}};

}  // namespace

std::optional<WeightType> find_tensor_type(uint64_t id) {
  for (const Row& row : kRead) {
    if (row.id == id) return row.type;
  }
  return std::nullopt;
}

std::string tensor_type_list() {
  std::string list;
  for (const Row& row : kRead) list += (list.empty() ? "" : ", ") + std::string(weight_type_name(row.type));
  return list;
}

std::string tensor_type_text(uint64_t id) {
  for (const Name& other : kOthers) {
    if (other.id == id) return std::string(other.name);
  }
  return "number " + std::to_string(id);
}

}  // namespace limelight::detail
