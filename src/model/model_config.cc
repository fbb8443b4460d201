// Fields that mean the same in every config.json.
#include "model/model_config.h"

#include <system_error>

namespace limelight::detail {

std::string name_of(const std::filesystem::path& path) {
  std::error_code error;
  const auto whole = std::filesystem::canonical(path, error);
  return (error ? path : whole).filename().string();
}

Gelu read_gelu(const JsonField& field) {
  const std::string& name = field.as_string();
  if (name == "gelu") return Gelu::kErf;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh") return Gelu::kTanh;
  field.refuse("\"gelu\", \"gelu_new\" or \"gelu_pytorch_tanh\"");
}

}  // namespace limelight::detail
