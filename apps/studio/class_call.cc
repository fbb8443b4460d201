// class: one attention head as a program, in C++ and with PyTorch, and what comes out of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "call.h"
#include "core/error.h"
#include "embedded_files.h"
#include "grid_json.h"
#include "limelight/nn.h"
#include "model/safetensors_reader.h"

namespace limelight::studio {
namespace {

// The lesson's numbers: a safetensors file inside the program, whose names and shapes are known.
class LessonFile {
 public:
  LessonFile()
      : tensors_(detail::parse_safetensors(std::as_bytes(std::span(find_embedded(kName)->bytes)), kName).tensors) {}

  template <class Stored, int Rank>
  Tensor<Stored, Rank> read(const std::string& name) const {
    const auto info = std::find_if(tensors_.begin(), tensors_.end(), [&](const auto& t) { return t.name == name; });
    if (info == tensors_.end()) detail::fail_format(fmt::format("{}: no tensor {}", kName, name));
    std::array<int64_t, Rank> sizes{};
    std::copy_n(info->shape.begin(), Rank, sizes.begin());
    Tensor<Stored, Rank> tensor(sizes);
    std::memcpy(tensor.data(), info->bytes.data(), info->bytes.size());
    return tensor;
  }

 private:
  static constexpr const char* kName = "lesson.safetensors";
  const std::vector<TensorInfo> tensors_;
};

double largest_difference(const float* found, const Tensor<double, 3>& golden) {
  double most = 0;
  for (int64_t n = 0; n < golden.count(); ++n) {
    most = std::max(most, std::abs(static_cast<double>(found[n]) - golden.data()[n]));
  }
  return most;
}

struct Answer {
  Json json;
  std::string printed;
};

Answer answer_of(const LessonFile& file, const std::string& kind, Causal causal) {
  const auto query = file.read<float, 2>("wq"), key = file.read<float, 2>("wk"), value = file.read<float, 2>("wv");
  const SelfAttention head({.query = query, .key = key, .value = value}, 1, causal);
  const SelfAttention::Result result = head.forward(file.read<float, 3>("x"), true);
  const int64_t tokens = result.weights.sizes()[2];
  Answer answer;
  const double weights = largest_difference(result.weights.data(), file.read<double, 3>(kind + "/weights"));
  const double output = largest_difference(result.output.data(), file.read<double, 3>(kind + "/output"));
  answer.printed = fmt::format("{}: output {} x {} x {}, weights\n", kind, result.output.sizes()[0],
                               result.output.sizes()[1], result.output.sizes()[2]);
  Json grid = Json::array(), rounded = Json::array();
  for (int64_t i = 0; i < tokens; ++i) {
    Json& numbers = grid.emplace_back(Json::array());
    Json& texts = rounded.emplace_back(Json::array());
    for (int64_t j = 0; j < tokens; ++j) {
      const bool blocked = causal != Causal::kNone && j > i;
      const std::string text = fmt::format("{:.2f}", result.weights(0, 0, i, j));
      numbers.push_back(blocked ? Json() : number_json(result.weights(0, 0, i, j)));
      texts.push_back(blocked ? Json() : Json(text));
      answer.printed += "  " + text;
    }
    answer.printed += "\n";
  }
  answer.printed +=
      fmt::format("largest difference from {0}/weights: {1:.1e}\nlargest difference from {0}/output: {2:.1e}\n", kind,
                  weights, output);
  answer.json = {{"weights", grid}, {"rounded", rounded}, {"golden_difference", std::max(weights, output)}};
  return answer;
}

// Of a source inside the program the part from `first` to the end of `last`.
std::string part_of(const char* name, std::string_view first, std::string_view last) {
  const std::string_view text = find_embedded(name)->bytes;
  const size_t start = text.find(first), end = text.find(last, start);
  if (start == std::string_view::npos || end == std::string_view::npos) {
    detail::fail_format(fmt::format("{}: no part from \"{}\"", name, first));
  }
  return std::string(text.substr(start, end + last.size() - start));
}

// How a head is made and called, and what it then does.
std::string cpp_text() {
  std::string call = part_of("one_head.cc", "  const SelfAttention head(", "true);\n");
  for (size_t indent = 0; (indent = call.find("  ", indent)) != std::string::npos;) call.erase(indent, 2);
  return "// examples/one_head.cc\n" + call + "\n// src/nn/self_attention.cc\n" +
         part_of("self_attention.cc", "SelfAttention::Result SelfAttention::forward", "\n}\n");
}

}  // namespace

Json class_call(const Call&) {
  const LessonFile file;
  const Answer causal = answer_of(file, "causal", Causal::kBottomRight), full = answer_of(file, "full", Causal::kNone);
  return {{"shape", {1, 4, 16}},
          {"causal", causal.json},
          {"full", full.json},
          {"cpp", cpp_text()},
          {"pytorch", find_embedded("one_head.py")->bytes},
          {"printed", causal.printed + full.printed}};
}

}  // namespace limelight::studio
