// kernels.attend adds a tile to the state of a row: (max, sum, out). Here it is called with one row and few keys.
#include "lesson/tiles.h"

#include <algorithm>
#include <cmath>

#include "attention/problem.h"
#include "attention/reference.h"
#include "core/checks.h"
#include "core/error.h"
#include "core/rounding.h"
#include "kernels/kernels.h"

namespace limelight::lesson {
namespace {

using detail::Interval;
using detail::Kernels;

// The state of one row, in the memory that the kernel reads and writes.
class Row {
 public:
  Row(const HeadInput& head, int64_t query, int64_t tile)
      : head_(head),
        problem_(detail::check_problem("tiles", head.q, head.k, FloatView(head.v), head.options)),
        kernels_(detail::active_kernels()),
        live_(problem_.live(problem_.sequence(0))(query)),
        depth_(head.head_size()),
        width_(detail::round_up(std::max<int64_t>(head.v.sizes[3], 1), kernels_.lanes)),
        query_({detail::round_up(depth_, kernels_.lanes)}),
        panels_({detail::round_up(tile, kernels_.panel) * depth_}),
        values_({detail::round_up(tile, kernels_.panel), width_}),
        max_({1 + kernels_.lanes}),
        sum_({1 + kernels_.lanes}),
        out_({width_}),
        scores_({detail::kScoreStride}) {
    for (int64_t d = 0; d < depth_; ++d) query_(d) = head.q(0, 0, query, d) * problem_.scale;
    std::fill_n(max_.data(), max_.count(), detail::kMinusInfinity);
  }

  TileStep add(int64_t first, int64_t end);

 private:
  void load(int64_t first, int64_t count) {
    kernels_.pack_panels(&head_.k(0, 0, first, 0), head_.k.strides[2], head_.k.strides[3], count, depth_,
                         panels_.data());
    for (int64_t j = 0; j < count; ++j) {
      for (int64_t e = 0; e < head_.v.sizes[3]; ++e) values_(j, e) = head_.v(0, 0, first + j, e);
    }
  }

  void attend(const detail::KeyInterval& live) {
    detail::AttendGroup group;
    group.score.rows = 1;
    group.score.depth = depth_;
    group.score.queries = query_.data();
    group.score.query_stride = query_.count();
    group.score.keys = panels_.data();
    group.score.live = &live;
    group.score.softcap = problem_.softcap;
    group.values = values_.data();
    group.value_stride = group.value_columns = width_;
    group.max = max_.data();
    group.sum = sum_.data();
    group.out = out_.data();
    group.scores = scores_.data();
    kernels_.attend(group);
  }

  const HeadInput& head_;
  const detail::Problem problem_;
  const Kernels& kernels_;
  const Interval live_;
  const int64_t depth_, width_;
  Tensor<float, 1> query_, panels_;
  Tensor<float, 2> values_;
  Tensor<float, 1> max_, sum_, out_, scores_;
};

TileStep Row::add(int64_t first, int64_t end) {
  const auto count = static_cast<size_t>(end - first);
  const detail::KeyInterval live{static_cast<int32_t>(std::clamp(live_.begin, first, end) - first),
                                 static_cast<int32_t>(std::clamp(live_.end, first, end) - first)};
  TileStep step{.first = first, .end = end, .skipped = live.begin >= live.end};
  step.scores.resize(count);
  step.blocked.assign(count, 1);
  const float before = max_(0);
  if (!step.skipped) {
    load(first, end - first);
    attend(live);
    for (int32_t j = live.begin; j < live.end; ++j) {
      step.blocked[static_cast<size_t>(j)] = 0;
      step.scores[static_cast<size_t>(j)] = scores_(j);
    }
    step.tile_max = *std::max_element(&scores_(live.begin), &scores_(live.begin) + (live.end - live.begin));
    step.rescale = before == detail::kMinusInfinity ? 0 : std::exp(before - max_(0));
  }
  step.sum = sum_(0);
  if (step.sum > 0) {
    step.max = max_(0);
    step.out.emplace();
    for (int64_t e = 0; e < head_.v.sizes[3]; ++e) step.out->push_back(out_(e) / step.sum);
  }
  return step;
}

void compare(TileTrace& trace) {
  for (TileStep& step : trace.steps) {
    if (!step.out) continue;
    double largest = 0;
    for (size_t e = 0; e < trace.plain.size(); ++e) {
      largest = std::max(largest, std::abs(double{(*step.out)[e]} - trace.plain[e]));
    }
    step.difference = trace.difference = largest;
  }
}

}  // namespace

int64_t engine_tile() {
  return detail::kKeyTile;
}

TileTrace trace_tiles(const HeadInput& head, int64_t query, int64_t tile) {
  detail::check_range("tiles", "tile", tile, 1, detail::kKeyTile);
  detail::check_range("tiles", "query", query, 0, head.tokens() - 1);
  detail::check_view("tiles", "q", head.q, std::array<int64_t, 4>{1, 1, head.tokens(), head.head_size()});
  Row row(head, query, tile);
  TileTrace trace;
  for (int64_t first = 0; first < head.tokens(); first += tile) {
    trace.steps.push_back(row.add(first, std::min(first + tile, head.tokens())));
  }
  const TileStep& last = trace.steps.back();
  const bool seen = std::any_of(trace.steps.begin(), trace.steps.end(), [](const TileStep& s) { return !s.skipped; });
  if (seen && !last.max) detail::fail_format("the weights are not numbers; the model's file holds NaN or infinity");
  for (TileStep& step : trace.steps) {
    step.weights.assign(step.scores.size(), 0);
    for (size_t j = 0; j < step.scores.size(); ++j) {
      if (step.blocked[j] == 0) step.weights[j] = std::exp(step.scores[j] - *last.max) / last.sum;
    }
  }
  const auto plain = detail::reference_attention<double>(head.q, head.k, FloatView(head.v), head.options);
  const double* answer = &plain.out(0, 0, query, 0);
  trace.plain.assign(answer, answer + head.v.sizes[3]);
  compare(trace);
  return trace;
}

}  // namespace limelight::lesson
