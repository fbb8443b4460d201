// Reads the cases: options from the JSON beside the tensors.
#include "tests/attention/golden.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "limelight/safetensors.h"

namespace limelight::testing {
namespace {

using nlohmann::json;

Causal causal_of(const std::string& word) {
  return word == "none" ? Causal::kNone : word == "top_left" ? Causal::kTopLeft : Causal::kBottomRight;
}

GoldenCase read_case(const SafetensorsFile& file, const json& entry) {
  const std::string name = entry.at("name");
  const auto find = [&](const char* field) { return file.find(name + "/" + field); };
  const auto floats = [&](const char* field) { return read_tensor<float, 4>(file, *find(field)); };
  GoldenCase c;
  c.name = name;
  Problem& p = c.problem;
  p.q = floats("q"), p.k = floats("k"), p.v = floats("v");
  p.shape = {entry["B"], entry["H"], entry["G"], entry["M"], entry["N"], entry["D"], entry["E"]};
  p.causal = causal_of(entry.at("causal"));
  p.scale = entry.at("scale").get<float>();
  p.softcap = entry.at("softcap").get<float>();
  if (!entry.at("window").is_null()) p.window = {entry["window"][0], entry["window"][1]};
  if (find("bias") != nullptr) p.bias = floats("bias");
  if (const TensorInfo* mask = find("mask")) p.mask = read_tensor<uint8_t, 4>(file, *mask);
  if (const TensorInfo* sinks = find("sinks")) p.sinks = read_tensor<float, 1>(file, *sinks);
  if (const TensorInfo* slopes = find("alibi")) {
    const auto each = read_tensor<float, 1>(file, *slopes);
    p.alibi_slopes = Tensor<float, 2>({1, each.count()});
    std::copy_n(each.data(), each.count(), p.alibi_slopes->data());
  }
  c.out = floats("out"), c.weights = floats("weights"), c.dout = floats("dout");
  c.dq = floats("dq"), c.dk = floats("dk"), c.dv = floats("dv");
  c.lse = read_tensor<float, 3>(file, *find("lse"));
  return c;
}

}  // namespace

std::vector<GoldenCase> golden_cases() {
  const std::string folder = LIMELIGHT_GOLDEN;
  const SafetensorsFile file = SafetensorsFile::open(folder + "/attention.safetensors");
  std::vector<GoldenCase> cases;
  for (const json& entry : json::parse(std::ifstream(folder + "/attention.json"))) {
    cases.push_back(read_case(file, entry));
  }
  return cases;
}

}  // namespace limelight::testing
