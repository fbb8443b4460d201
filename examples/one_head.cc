// One attention head on a sentence of four words: one_head lesson.safetensors
// The file holds x [1, 4, 16] and the learned matrices wq, wk, wv [16, 16]; where it holds the results too, they are
// compared.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include "limelight/nn.h"
#include "limelight/safetensors.h"

using namespace limelight;

template <int Rank>
Tensor<float, Rank> read(const SafetensorsFile& file, const std::string& name) {
  const TensorInfo* info = file.find(name);
  if (info == nullptr) throw std::runtime_error(file.path().string() + ": has no tensor " + name);
  return read_tensor<float, Rank>(file, *info);
}

// Prints how far `found` is from the tensor `name`, if the file has it in this shape.
template <int Rank>
void compare(const SafetensorsFile& file, const std::string& name, const Tensor<float, Rank>& found) {
  const TensorInfo* info = file.find(name);
  if (info == nullptr || info->count() != found.count()) return;
  const Tensor<float, 3> expected = read_tensor<float, 3>(file, *info);
  float largest = 0;
  for (int64_t i = 0; i < found.count(); ++i) {
    largest = std::max(largest, std::abs(found.data()[i] - expected.data()[i]));
  }
  std::printf("largest difference from %s: %.1e\n", name.c_str(), largest);
}

void show(const SafetensorsFile& file, const std::string& kind, Causal causal) {
  const auto query = read<2>(file, "wq"), key = read<2>(file, "wk"), value = read<2>(file, "wv");
  const SelfAttention head({.query = query, .key = key, .value = value}, 1, causal);
  const SelfAttention::Result result = head.forward(read<3>(file, "x"), true);

  const auto [batch, tokens, channels] = result.output.sizes();
  std::printf("%s: output %lld x %lld x %lld, weights\n", kind.c_str(), static_cast<long long>(batch),
              static_cast<long long>(tokens), static_cast<long long>(channels));
  for (int64_t i = 0; i < tokens; ++i) {
    for (int64_t j = 0; j < tokens; ++j) std::printf("  %.2f", result.weights(0, 0, i, j));
    std::printf("\n");
  }
  compare(file, kind + "/weights", result.weights);
  compare(file, kind + "/output", result.output);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: one_head FILE.safetensors\n");
    return 2;
  }
  try {
    const SafetensorsFile file = SafetensorsFile::open(argv[1]);
    show(file, "causal", Causal::kBottomRight);
    show(file, "full", Causal::kNone);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "one_head: %s\n", error.what());
    return 1;
  }
}
