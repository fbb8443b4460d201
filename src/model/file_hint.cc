// Told by the first bytes.
#include "model/file_hint.h"

namespace limelight::detail {

std::string file_hint(std::string_view start) {
  if (start.starts_with("PK\x03\x04")) return "; it looks like a zip archive, as PyTorch's checkpoints are";
  if (start.starts_with("version https://git-lfs"))
    return "; it is a Git LFS pointer: get the file itself (git lfs pull)";
  if (start.starts_with("GGUF")) return "; it looks like a GGUF file";
  if (start.starts_with("<!") || start.starts_with("<html")) return "; it looks like a web page";
  return "";
}

}  // namespace limelight::detail
