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

namespace limelight::studio {
namespace {

// The lesson's numbers: a safetensors file inside the program, which was whole when it was built in.
class LessonFile {
 public:
  LessonFile() : bytes_(find_embedded("lesson.safetensors")->bytes) {
    uint64_t size = 0;
    std::memcpy(&size, bytes_.data(), sizeof size);
    header_ = Json::parse(bytes_.substr(sizeof size, size));
    bytes_.remove_prefix(sizeof size + size);
  }

  template <class Stored, int Rank>
  Tensor<Stored, Rank> read(const std::string& name) const {
    const Json& info = header_.at(name);
    std::array<int64_t, Rank> sizes{};
    for (size_t axis = 0; axis < Rank; ++axis) sizes[axis] = info.at("shape").at(axis);
    Tensor<Stored, Rank> tensor(sizes);
    const size_t begin = info.at("data_offsets").at(0);
    std::memcpy(tensor.data(), bytes_.data() + begin, static_cast<size_t>(tensor.count()) * sizeof(Stored));
    return tensor;
  }

 private:
  std::string_view bytes_;
  Json header_;
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

}  // namespace

Json class_call(const Call&) {
  const LessonFile file;
  const Answer causal = answer_of(file, "causal", Causal::kBottomRight), full = answer_of(file, "full", Causal::kNone);
  return {{"shape", {1, 4, 16}},
          {"causal", causal.json},
          {"full", full.json},
          {"cpp", find_embedded("one_head.cc")->bytes},
          {"pytorch", find_embedded("one_head.py")->bytes},
          {"printed", causal.printed + full.printed}};
}

}  // namespace limelight::studio
