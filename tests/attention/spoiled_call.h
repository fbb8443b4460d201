// A call that a test spoils, and the sentence that every entry point must refuse it with.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/attention/compare.h"
#include "tests/attention/problem.h"

namespace limelight::testing {

inline constexpr float kFiller = 77.0f;

// Everything a call is given, valid until a test spoils a part of it.
struct SpoiledCall {
  Tensor<float, 4> memory = Tensor<float, 4>({2, 4, 5, 8});
  Tensor<float, 4> out_memory = filler({2, 4, 5, 8});
  Tensor<float, 3> lse_memory = Tensor<float, 3>({2, 4, 5});
  Tensor<uint8_t, 4> mask_memory = Tensor<uint8_t, 4>({2, 4, 5, 5});
  Tensor<int64_t, 1> lengths_memory = Tensor<int64_t, 1>({2});
  TensorView<const float, 4> q = memory, k = memory, v = memory;
  AttentionOptions options;
  LensRequest request;
  TensorView<float, 4> out = out_memory;
  std::optional<TensorView<float, 3>> lse = lse_memory.view();

  static Tensor<float, 4> filler(const std::array<int64_t, 4>& sizes) {
    Tensor<float, 4> tensor(sizes);
    std::fill_n(tensor.data(), tensor.count(), kFiller);
    return tensor;
  }
};

inline std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "not std::invalid_argument: " << error.what();
    return "";
  }
  ADD_FAILURE() << "not refused";
  return "";
}

inline void expect_sentence(const std::string& message, const std::string& where, const std::string& field,
                            const std::string& expected, const std::string& found) {
  EXPECT_EQ(message.find("[" + where + "] " + field), 0u) << message;
  EXPECT_NE(message.find("expected"), std::string::npos) << message;
  EXPECT_NE(message.find(expected), std::string::npos) << message;
  EXPECT_NE(message.find("found " + found), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

// Spoils a call and expects every entry point that takes the argument to refuse it in the same words.
inline void expect_refused(const std::function<void(SpoiledCall&)>& spoil, const std::string& field,
                           const std::string& expected, const std::string& found, bool of_output = false) {
  SCOPED_TRACE(field + " " + found);
  SpoiledCall c;
  spoil(c);
  const auto refused = [&](const char* where, const std::function<void()>& call) {
    SCOPED_TRACE(where);
    expect_sentence(message_of(call), where, field, expected, found);
  };
  refused("attention", [&] { attention(c.q, c.k, c.v, c.options, c.out, c.lse); });
  refused("attention_and_look", [&] { attention_and_look(c.q, c.k, c.v, c.options, c.request, c.out, c.lse); });
  for (int64_t n = 0; n < c.out_memory.count(); ++n) ASSERT_EQ(c.out_memory.data()[n], kFiller);
  if (of_output) return;
  refused("attention", [&] { attention(c.q, c.k, c.v, c.options); });
  refused("explain", [&] { explain(c.q, c.k, c.v, c.options); });
  if (field != "v") refused("look", [&] { look(c.q, c.k, c.options, c.request); });
}

}  // namespace limelight::testing
