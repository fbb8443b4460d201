// scaling, memory, speed, recurrent: experiments without a model.
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>

#include "call.h"
#include "core/error.h"
#include "core/steps.h"
#include "lesson/plain.h"
#include "lesson/recurrent.h"
#include "lesson/scaling.h"
#include "limelight/runtime.h"

namespace limelight::studio {
namespace {

constexpr int64_t kSeed = 42;

std::vector<int64_t> numbers(const Call& call, const char* field, const std::vector<int64_t>& otherwise) {
  return call.asked.value(field, otherwise);
}

void go_on(const Call& call, size_t done, size_t all) {
  if (!call.run.progress(static_cast<double>(done) / static_cast<double>(all))) detail::fail_cancelled("stopped");
}

Json figures_json(const lesson::ScoreFigures& figures) {
  return {{"deviation", figures.deviation},
          {"entropy", figures.entropy},
          {"largest", figures.largest},
          {"gradient", figures.gradient}};
}

Json hops(const std::vector<double>& gradients, bool chain) {
  Json list = Json::array();
  for (size_t t = 0; t < gradients.size(); ++t) {
    const size_t steps = gradients.size() - 1 - t;
    list.push_back({{"steps", chain ? steps : std::min<size_t>(steps, 1)}, {"gradient", gradients[t]}});
  }
  return list;
}

}  // namespace

Json scaling_call(const Call& call) {
  const auto keys = call.asked.value("keys", int64_t{16});
  const auto seed = call.asked.value("seed", kSeed);
  const std::vector<int64_t> sizes = numbers(call, "d_k", {4, 16, 64, 256, 1024});
  Json rows = Json::array();
  for (const int64_t size : sizes) {
    go_on(call, rows.size(), sizes.size());
    const lesson::ScalingFigures figures = lesson::scaling_figures(size, keys, static_cast<uint64_t>(seed));
    rows.push_back(
        {{"d_k", size}, {"scaled", figures_json(figures.scaled)}, {"unscaled", figures_json(figures.unscaled)}});
  }
  return {{"keys", keys}, {"seed", seed}, {"most_entropy", std::log(static_cast<double>(keys))}, {"rows", rows}};
}

Json memory_call(const Call& call) {
  const auto heads = call.asked.value("heads", int64_t{1}), size = call.asked.value("d_k", int64_t{64});
  Json rows = Json::array();
  for (const int64_t tokens : numbers(call, "tokens", {1000, 10000, 100000, 1000000})) {
    rows.push_back({{"tokens", tokens},
                    {"pairs", tokens * tokens * heads},
                    {"grid_bytes", tokens * tokens * heads * static_cast<int64_t>(sizeof(float))},
                    {"limelight_bytes", lesson::flash_bytes(tokens, heads, size)}});
  }
  return {{"heads", heads}, {"d_k", size}, {"rows", rows}};
}

Json speed_call(const Call& call) {
  std::unique_lock turn(call.studio.measuring, std::try_to_lock);
  for (; !turn.owns_lock(); static_cast<void>(turn.try_lock())) {
    go_on(call, 0, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const std::string mask = call.asked.value("mask", "none");
  const auto size = call.asked.value("d_k", int64_t{64});
  const std::vector<int64_t> lengths = numbers(call, "tokens", {256, 512, 1024, 2048, 4096, 8192});
  Json rows = Json::array();
  for (const int64_t tokens : lengths) {
    const double done = static_cast<double>(rows.size()) / static_cast<double>(lengths.size());
    const lesson::SpeedFigures figures =
        lesson::measure_speed(tokens, size, mask == "causal" ? Causal::kBottomRight : Causal::kNone,
                              detail::part_of(call.run, done, done));  // repeats itself: no way of its own to tell
    rows.push_back({{"tokens", tokens},
                    {"plain_seconds", figures.plain_seconds},
                    {"flash_seconds", figures.flash_seconds},
                    {"plain_bytes", figures.plain_bytes},
                    {"flash_bytes", figures.flash_bytes},
                    {"difference", figures.difference}});
    call.part(rows.back());
  }
  return {{"isa", active_isa()}, {"threads", available_threads()}, {"mask", mask}, {"d_k", size}, {"rows", rows}};
}

Json recurrent_call(const Call& call) {
  const std::vector<std::string> lesson_words = {"The",     "animal", "didn't", "cross", "the",  "street",
                                                 "because", "it",     "was",    "too",   "tired"};
  const auto words = call.asked.value("words", lesson_words);
  const auto seed = call.asked.value("seed", kSeed);
  const lesson::Reach reach =
      lesson::gradient_reach(lesson::word_vectors(words, static_cast<uint64_t>(seed)), static_cast<uint64_t>(seed));
  return {{"words", words},
          {"hidden", lesson::kReachHidden},
          {"seed", seed},
          {"recurrent", hops(reach.recurrent, true)},
          {"attention", hops(reach.attention, false)},
          {"first_recurrent", reach.recurrent.front() / reach.recurrent.back()},
          {"first_attention", reach.attention.front() / reach.attention.back()}};
}

}  // namespace limelight::studio
