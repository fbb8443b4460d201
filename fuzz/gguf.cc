// Any bytes are a GGUF file that keeps its promises, or a FormatError.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "limelight/error.h"
#include "model/gguf_reader.h"

using namespace limelight;

namespace {

// Reads every byte that a value claims.
uint64_t walk(const GgufValue& value) {
  uint64_t sum = 0;
  if (value.type == GgufType::kArray) {
    for (const GgufValue& element : detail::gguf_elements(value)) sum += walk(element);
  } else {
    for (const std::byte byte : value.bytes) sum += std::to_integer<uint64_t>(byte);
  }
  return sum;
}

// And every weight.
void expand(const GgufTensor& tensor) {
  const WeightBlock block = weight_block(tensor.type);
  std::vector<float> weights(static_cast<size_t>(block.weights));
  int64_t count = 1;
  for (const int64_t size : tensor.shape) count *= size;
  if (count != tensor.count()) __builtin_trap();
  for (size_t at = 0; at < tensor.bytes.size(); at += static_cast<size_t>(block.bytes)) {
    dequantise(&tensor.bytes[at], tensor.type, block.weights, weights.data());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto contents = detail::parse_gguf(std::as_bytes(std::span(data, size)), "f");
    volatile uint64_t sum = 0;
    for (const auto& [key, value] : contents.metadata) sum = sum + walk(value);
    for (const GgufTensor& tensor : contents.tensors) expand(tensor);
  } catch (const FormatError&) {
  }
  return 0;
}
