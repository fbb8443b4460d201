// The lesson's head: four words, one head of 16 channels, against values computed in double elsewhere.
#include "limelight/nn.h"
#include "limelight/safetensors.h"
#include "tests/nn/matrices.h"

namespace limelight {
namespace {

template <int Rank>
Tensor<float, Rank> golden(const std::string& name) {
  static const SafetensorsFile file = SafetensorsFile::open(LIMELIGHT_GOLDEN "/lesson.safetensors");
  const TensorInfo* info = file.find(name);
  if (info == nullptr) throw std::runtime_error("lesson.safetensors has no " + name);
  return read_tensor<float, Rank>(file, *info);
}

void expect_near(const float* found, const float* expected, int64_t count) {
  for (int64_t i = 0; i < count; ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << "at " << i;
}

class Lesson : public ::testing::TestWithParam<Causal> {};

TEST_P(Lesson, IsReproduced) {
  const auto query = golden<2>("wq"), key = golden<2>("wk"), value = golden<2>("wv");
  const std::string kind = GetParam() == Causal::kNone ? "full/" : "causal/";
  const auto weights = golden<3>(kind + "weights"), output = golden<3>(kind + "output");
  testing::under_every_isa([&] {
    const SelfAttention head({.query = query, .key = key, .value = value}, 1, GetParam());
    const auto result = head.forward(golden<3>("x"), true);
    ASSERT_EQ(result.output.sizes(), (std::array<int64_t, 3>{1, 4, 16}));
    ASSERT_EQ(result.weights.sizes(), (std::array<int64_t, 4>{1, 1, 4, 4}));
    expect_near(result.output.data(), output.data(), output.count());
    expect_near(result.weights.data(), weights.data(), weights.count());
  });
}

INSTANTIATE_TEST_SUITE_P(Masks, Lesson, ::testing::Values(Causal::kNone, Causal::kTopLeft, Causal::kBottomRight),
                         [](const auto& mask) {
                           return mask.param == Causal::kNone      ? "Full"
                                  : mask.param == Causal::kTopLeft ? "CausalTopLeft"
                                                                   : "CausalBottomRight";
                         });

}  // namespace
}  // namespace limelight
