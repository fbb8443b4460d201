// Any bytes are a safetensors file that keeps its promises, or a FormatError.
#include <cstddef>
#include <cstdint>
#include <span>

#include "limelight/error.h"
#include "model/safetensors_reader.h"

using namespace limelight;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto contents = detail::parse_safetensors(std::as_bytes(std::span(data, size)), "f");
    volatile uint64_t sum = 0;
    for (const TensorInfo& info : contents.tensors) {
      int64_t count = 1;
      for (const int64_t length : info.shape) count *= length;
      if (count != info.count()) __builtin_trap();
      for (const std::byte byte : info.bytes) sum = sum + std::to_integer<uint64_t>(byte);
    }
  } catch (const FormatError&) {
  }
  return 0;
}
