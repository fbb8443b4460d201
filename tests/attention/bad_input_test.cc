// Arguments that do not fit are refused at the door: the field, what was expected and what was found; nothing is
// touched.
#include <limits>

#include "tests/attention/spoiled_call.h"

namespace limelight::testing {
namespace {

TEST(BadInput, TheUnspoiledCallIsTaken) {
  SpoiledCall c;
  attention(c.q, c.k, c.v, c.options, c.out, c.lse);
  EXPECT_EQ(c.out_memory(1, 3, 4, 7), 0);
}

TEST(BadInput, SizesThatDoNotFitAreRefused) {
  expect_refused([](SpoiledCall& c) { c.k.sizes[0] = 1; }, "k", "[2, 4, 5, 8]", "[1, 4, 5, 8]");
  expect_refused([](SpoiledCall& c) { c.k.sizes[3] = 7; }, "k", "[2, 4, 5, 8]", "[2, 4, 5, 7]");
  expect_refused([](SpoiledCall& c) { c.v.sizes[0] = 1; }, "v", "[2, 4, 5, 8]", "[1, 4, 5, 8]");
  expect_refused([](SpoiledCall& c) { c.v.sizes[1] = 2; }, "v", "[2, 4, 5, 8]", "[2, 2, 5, 8]");
  expect_refused([](SpoiledCall& c) { c.v.sizes[2] = 4; }, "v", "[2, 4, 5, 8]", "[2, 4, 4, 8]");
  // One key, four million values: nothing is read past k.
  expect_refused([](SpoiledCall& c) { c.k.sizes[2] = 1, c.v.sizes[2] = 4000000; }, "v", "[2, 4, 1, 8]",
                 "[2, 4, 4000000, 8]");
}

TEST(BadInput, HeadsThatGroupsDoNotDivideAreRefused) {
  expect_refused([](SpoiledCall& c) { c.k.sizes[1] = c.v.sizes[1] = 3; }, "k", "4", "3");
  expect_refused([](SpoiledCall& c) { c.k.sizes[1] = c.v.sizes[1] = 0; }, "k", "4", "0");
  expect_refused([](SpoiledCall& c) { c.k.sizes[1] = c.v.sizes[1] = 8; }, "k", "4", "8");
}

TEST(BadInput, NegativeSizesAndMissingMemoryAreRefused) {
  expect_refused([](SpoiledCall& c) { c.q.sizes[2] = -1; }, "q", "at least 0", "[2, 4, -1, 8]");
  expect_refused([](SpoiledCall& c) { c.k.sizes[2] = -5; }, "k", "at least 0", "[2, 4, -5, 8]");
  expect_refused([](SpoiledCall& c) { c.q.data = nullptr; }, "q", "memory", "a null pointer");
  expect_refused([](SpoiledCall& c) { c.k.data = nullptr; }, "k", "memory", "a null pointer");
  expect_refused([](SpoiledCall& c) { c.v.data = nullptr; }, "v", "memory", "a null pointer");
  expect_refused([](SpoiledCall& c) { c.q.sizes[3] = c.k.sizes[3] = 0; }, "q", "at least 1", "[2, 4, 5, 0]");
}

TEST(BadInput, OutputsThatDoNotFitAreRefused) {
  expect_refused([](SpoiledCall& c) { c.out.sizes[3] = 7; }, "out", "[2, 4, 5, 8]", "[2, 4, 5, 7]", true);
  expect_refused([](SpoiledCall& c) { c.out.sizes[1] = 3; }, "out", "[2, 4, 5, 8]", "[2, 3, 5, 8]", true);
  expect_refused([](SpoiledCall& c) { c.out.data = nullptr; }, "out", "memory", "a null pointer", true);
  expect_refused([](SpoiledCall& c) { c.lse->sizes[2] = 6; }, "lse", "[2, 4, 5]", "[2, 4, 6]", true);
  expect_refused([](SpoiledCall& c) { c.lse->data = nullptr; }, "lse", "memory", "a null pointer", true);
}

TEST(BadInput, NumbersOutsideTheirRangeAreRefused) {
  expect_refused([](SpoiledCall& c) { c.options.scale = kNaN; }, "scale", "finite", "nan");
  expect_refused([](SpoiledCall& c) { c.options.scale = kInfinity; }, "scale", "finite", "inf");
  expect_refused([](SpoiledCall& c) { c.options.scale = -kInfinity; }, "scale", "finite", "-inf");
  expect_refused([](SpoiledCall& c) { c.options.softcap = -1; }, "softcap", "0 (off) or", "-1");
  expect_refused([](SpoiledCall& c) { c.options.softcap = kInfinity; }, "softcap", "normal", "inf");
  expect_refused([](SpoiledCall& c) { c.options.softcap = kNaN; }, "softcap", "normal", "nan");
  expect_refused([](SpoiledCall& c) { c.options.softcap = 1e-40f; }, "softcap", "normal", "9.99995e-41");
  expect_refused([](SpoiledCall& c) { c.options.window.left = -2; }, "window.left", "-1", "-2");
  expect_refused([](SpoiledCall& c) { c.options.window.right = std::numeric_limits<int64_t>::min(); }, "window.right",
                 "-1", "-9223372036854775808");
  expect_refused([](SpoiledCall& c) { c.options.causal = static_cast<Causal>(3); }, "causal", "kNone", "3");
}

TEST(BadInput, NegativeThreadsAreRefused) {
  SpoiledCall c;
  c.options.run.threads = -1;
  const std::string message = message_of([&] { attention(c.q, c.k, c.v, c.options); });
  EXPECT_NE(message.find("threads: expected 0 or more, found -1"), std::string::npos) << message;
}

TEST(BadInput, MasksThatDoNotBroadcastAreRefused) {
  for (int axis = 0; axis < 4; ++axis) {
    expect_refused(
        [axis](SpoiledCall& c) {
          c.options.mask = c.mask_memory.view();
          c.options.mask->sizes[axis] = 3;
        },
        "mask", "[2, 4, 5, 5]", "[");
    expect_refused(
        [axis](SpoiledCall& c) {
          c.options.bias = slice(c.memory.view(), 3, 0, 5);
          c.options.bias->sizes[axis] = 0;
        },
        "bias", "[2, 4, 5, 5]", "[");
  }
  expect_refused(
      [](SpoiledCall& c) {
        c.options.mask = c.mask_memory.view();
        c.options.mask->data = nullptr;
      },
      "mask", "memory", "a null pointer");
}

TEST(BadInput, KeyLengthsOutsideTheirRangeAreRefused) {
  const auto lengths = [](int64_t first, int64_t second) {
    return [=](SpoiledCall& c) {
      c.lengths_memory(0) = first, c.lengths_memory(1) = second;
      c.options.key_lengths = c.lengths_memory.view();
    };
  };
  expect_refused(lengths(-1, 0), "key_lengths[0]", "0 to 5", "-1");
  expect_refused(lengths(5, 6), "key_lengths[1]", "0 to 5", "6");
  expect_refused([](SpoiledCall& c) { c.options.key_lengths = slice(c.lengths_memory.view(), 0, 0, 1); }, "key_lengths",
                 "[2]", "[1]");
  expect_refused(
      [](SpoiledCall& c) {
        c.options.key_lengths = TensorView<const int64_t, 1>{nullptr, {2}, {1}};
      },
      "key_lengths", "memory", "a null pointer");
}

// What only a lens call takes.
void expect_request_refused(const LensRequest& request, const std::string& field, const std::string& expected,
                            const std::string& found) {
  SpoiledCall c;
  expect_sentence(message_of([&] { look(c.q, c.k, c.options, request); }), "look", field, expected, found);
  expect_sentence(message_of([&] { attention_and_look(c.q, c.k, c.v, c.options, request, c.out, c.lse); }),
                  "attention_and_look", field, expected, found);
  for (int64_t n = 0; n < c.out_memory.count(); ++n) ASSERT_EQ(c.out_memory.data()[n], kFiller);
}

TEST(BadInput, LensRequestsOutsideTheirRangeAreRefused) {
  expect_request_refused({.rows = {0, 5}}, "rows[1]", "-5 to 4", "5");
  expect_request_refused({.rows = {-6}}, "rows[0]", "-5 to 4", "-6");
  expect_request_refused({.rows = {std::numeric_limits<int64_t>::min()}}, "rows[0]", "-5 to 4", "-9223372036854775808");
  expect_request_refused({.top_k = -1}, "top_k", "0 to", "-1");
  expect_request_refused({.top_k = std::numeric_limits<int64_t>::max()}, "top_k", "0 to", "9223372036854775807");
  expect_request_refused({.heatmap = -1}, "heatmap", "0 to", "-1");
  expect_request_refused({.heatmap = int64_t{1} << 40}, "heatmap", "0 to", "1099511627776");
}

TEST(BadInput, NoRowCanBeAskedOfNoQueries) {
  SpoiledCall c;
  c.q.sizes[2] = 0;
  expect_sentence(message_of([&] { look(c.q, c.k, c.options, {.rows = {0}}); }), "look", "rows[0]",
                  "none, since there are no queries", "0");
}

}  // namespace
}  // namespace limelight::testing
