// The first bytes tell.
#include "model/foreign_file.h"

namespace limelight::detail {
namespace {

// A length below 4 GiB in 8 bytes, and the header's opening brace.
bool starts_as_safetensors(std::string_view start) {
  return start.size() > 8 && start.substr(4, 5) == std::string_view("\0\0\0\0{", 5);
}

}  // namespace

std::string_view foreign_hint(std::string_view start, ModelFile taken_for) {
  if (start.starts_with("PK\x03\x04")) return "; it looks like a zip archive, as PyTorch's checkpoints are";
  if (start.starts_with("version https://git-lfs"))
    return "; it is a Git LFS pointer: get the file itself (git lfs pull)";
  if (taken_for != ModelFile::kGguf && start.starts_with("GGUF")) return "; it looks like a GGUF file";
  if (taken_for != ModelFile::kSafetensors && starts_as_safetensors(start)) return "; it looks like a safetensors file";
  if (start.starts_with("<!") || start.starts_with("<html")) return "; it looks like a web page";
  return "";
}

}  // namespace limelight::detail
