// Values made by PyTorch in float64 (tests/golden), against the reference and against the fast path.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "limelight/safetensors.h"
#include "tests/attention/compare.h"
#include "tests/attention/problem.h"

namespace limelight::testing {
namespace {

using nlohmann::json;

const std::string kFolder = LIMELIGHT_GOLDEN;

// What a later version will know.
bool is_built(const std::string& name) {
  return name != "sinks" && name != "alibi";
}

struct GoldenCase {
  Problem problem;
  Tensor<float, 4> out, weights;
  Tensor<float, 3> lse;
};

Causal causal_of(const std::string& word) {
  return word == "none" ? Causal::kNone : word == "top_left" ? Causal::kTopLeft : Causal::kBottomRight;
}

GoldenCase load(const SafetensorsFile& file, const json& entry) {
  const std::string name = entry.at("name");
  const auto floats = [&](const char* field) { return read_tensor<float, 4>(file, *file.find(name + "/" + field)); };
  GoldenCase c;
  Problem& p = c.problem;
  p.q = floats("q"), p.k = floats("k"), p.v = floats("v");
  p.causal = causal_of(entry.at("causal"));
  p.scale = entry.at("scale").get<float>();
  p.softcap = entry.at("softcap").get<float>();
  if (!entry.at("window").is_null()) p.window = {entry["window"][0], entry["window"][1]};
  if (file.find(name + "/bias") != nullptr) p.bias = floats("bias");
  if (const TensorInfo* mask = file.find(name + "/mask")) p.mask = read_tensor<uint8_t, 4>(file, *mask);
  c.out = floats("out"), c.weights = floats("weights");
  c.lse = read_tensor<float, 3>(file, *file.find(name + "/lse"));
  return c;
}

template <class Check>
void for_every_case(const Check& check) {
  const SafetensorsFile file = SafetensorsFile::open(kFolder + "/attention.safetensors");
  int count = 0;
  for (const json& entry : json::parse(std::ifstream(kFolder + "/attention.json"))) {
    const std::string name = entry.at("name");
    if (!is_built(name)) continue;
    SCOPED_TRACE(name);
    check(load(file, entry));
    ++count;
  }
  EXPECT_EQ(count, 17);
}

// The golden values come from inputs in float64, which reading narrows: relative 2^-24, a few products deep.
TEST(Golden, ReferenceEqualsPyTorchInDouble) {
  for_every_case([](const GoldenCase& c) {
    const Problem& p = c.problem;
    const auto exact = detail::reference_attention<double>(p.q, p.k, p.v, p.options());
    EXPECT_LE(error_of(exact.out, c.out).max, 1e-6);
    EXPECT_LE(error_of(exact.lse, c.lse).max, 1e-6);
    EXPECT_LE(error_of(exact.weights, c.weights).max, 1e-6);
  });
}

TEST(Golden, AttentionIsAsCloseAsTwiceANaiveComputation) {
  under_every_isa([] {
    for_every_case([](const GoldenCase& c) {
      const Problem& p = c.problem;
      const auto naive = detail::reference_attention<float>(p.q, p.k, p.v, p.options());
      const AttentionResult found = p.attend();
      EXPECT_TRUE(close(found.out, naive.out, c.out));
      EXPECT_TRUE(close(found.lse, naive.lse, c.lse));
    });
  });
}

TEST(Golden, LensRowsAreTheWeights) {
  under_every_isa([] {
    for_every_case([](const GoldenCase& c) {
      const Problem& p = c.problem;
      LensRequest request;
      for (int64_t i = 0; i < p.q.sizes()[2]; ++i) request.rows.push_back(i);
      const auto naive = detail::reference_attention<float>(p.q, p.k, p.v, p.options());
      EXPECT_TRUE(close(look(p.q, p.k, p.options(), request).rows, naive.weights, c.weights));
    });
  });
}

}  // namespace
}  // namespace limelight::testing
