// limelight bench: how fast attention runs here, as a share of what the processor can do in the same run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "command_line.h"
#include "commands.h"
#include "limelight/attention.h"
#include "output.h"
#include "progress.h"
#include "table.h"

namespace limelight::cli {
namespace {

struct Shape {
  int64_t batch = 1, heads = 1, groups = 1, queries = 0, keys = 0, depth = 0, value = 0;
};

struct Timing {
  Shape shape;
  std::string causal;
  int64_t threads = 0;
  double seconds = 0;      // the best run
  double gflops = 0;       // of live pairs: 2 (D + E) each
  double peak_gflops = 0;  // of the same run

  double share() const { return gflops / peak_gflops; }
};

// Values in [-1, 1) from a fixed seed, so that every run computes the same.
Tensor<float, 4> filled(const std::array<int64_t, 4>& sizes, uint32_t seed) {
  Tensor<float, 4> tensor(sizes);
  for (int64_t i = 0; i < tensor.count(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    tensor.data()[i] = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
  }
  return tensor;
}

Timing measure(const Shape& s, const std::string& causal, int64_t threads, int64_t repeat) {
  const Tensor<float, 4> q = filled({s.batch, s.heads, s.queries, s.depth}, 1);
  const Tensor<float, 4> k = filled({s.batch, s.groups, s.keys, s.depth}, 2);
  const Tensor<float, 4> v = filled({s.batch, s.groups, s.keys, s.value}, 3);
  Tensor<float, 4> out({s.batch, s.heads, s.queries, s.value});
  AttentionOptions options;
  options.causal = causal == "none" ? Causal::kNone : causal == "top_left" ? Causal::kTopLeft : Causal::kBottomRight;
  options.run.threads = static_cast<int>(threads);

  Timing timing{.shape = s, .causal = causal, .threads = threads, .seconds = HUGE_VAL};
  for (int64_t i = 0; i <= repeat; ++i) {  // the first run warms up
    const auto start = std::chrono::steady_clock::now();
    attention(q, k, v, options, out);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (i > 0) timing.seconds = std::min(timing.seconds, took.count());
  }
  const auto live = static_cast<double>(explain(q, k, v, options).live_pairs);
  timing.gflops = 2 * live * static_cast<double>(s.depth + s.value) / timing.seconds / 1e9;
  return timing;
}

std::string as_table(const std::vector<Timing>& timings) {
  std::vector<std::vector<std::string>> cells = {
      {"B", "H", "G", "M", "N", "D", "E", "causal", "threads", "ms", "GFLOP/s", "peak", "share"}};
  for (const Timing& t : timings) {
    std::vector<std::string>& line = cells.emplace_back();
    const Shape& s = t.shape;
    for (const int64_t size : {s.batch, s.heads, s.groups, s.queries, s.keys, s.depth, s.value}) {
      line.push_back(std::to_string(size));
    }
    line.insert(line.end(), {t.causal, std::to_string(t.threads), fmt::format("{:.3f}", t.seconds * 1e3),
                             fmt::format("{:.1f}", t.gflops), fmt::format("{:.1f}", t.peak_gflops),
                             fmt::format("{:.1f} %", t.share() * 100)});
  }
  return table(cells, "rrrrrrrlrrrrr");
}

std::string as_json(const std::vector<Timing>& timings) {
  auto list = nlohmann::ordered_json::array();
  for (const Timing& t : timings) {
    const Shape& s = t.shape;
    list.push_back({{"B", s.batch},
                    {"H", s.heads},
                    {"G", s.groups},
                    {"M", s.queries},
                    {"N", s.keys},
                    {"D", s.depth},
                    {"E", s.value},
                    {"causal", t.causal},
                    {"threads", t.threads},
                    {"seconds", t.seconds},
                    {"gflops", t.gflops},
                    {"peak_gflops", t.peak_gflops},
                    {"share", t.share()}});
  }
  return list.dump(2) + "\n";
}

struct Bench {
  std::string what = "attention";
  std::optional<int64_t> batch, heads, groups, queries, keys, depth, value, repeat;
  std::vector<int64_t> tokens = {1024, 4096};
  std::vector<int64_t> threads;
  std::string causal;
  bool json = false;

  void declare(Command& command) {
    constexpr Bounds kSize{.least = 1, .most = int64_t{1} << 30};
    command.choice("WHAT", what, {"attention"}, "What is measured")
        .numbers("--T", tokens, "Tokens, M = N, one measurement each; 1024,4096 unless given", kSize)
        .number("--M", queries, "Queries, where they differ from T", kSize)
        .number("--N", keys, "Keys, where they differ from T", kSize)
        .number("--B", batch, "Batch; 1 unless given", kSize)
        .number("--H", heads, "Query heads; 1 unless given", kSize)
        .number("--G", groups, "Key and value heads; H unless given", kSize)
        .number("--D", depth, "Head size; 64 unless given", kSize)
        .number("--E", value, "Value size; D unless given", kSize)
        .choice("--causal", causal, {"none", "top-left", "bottom-right", "top_left", "bottom_right"},
                "The mask; none and bottom-right unless given")
        .numbers("--threads", threads, "One measurement each; 1 and all processors unless given",
                 {.least = 1, .most = 4096})
        .number("--repeat", repeat, "Runs, of which the best counts; 5 unless given", {.least = 1})
        .flag("--json", json, "Print JSON");
  }

  Shape shape(int64_t count) const {
    Shape s;
    s.batch = batch.value_or(1);
    s.heads = heads.value_or(1);
    s.groups = groups.value_or(s.heads);
    s.queries = queries.value_or(count);
    s.keys = keys.value_or(count);
    s.depth = depth.value_or(64);
    s.value = value.value_or(s.depth);
    return s;
  }

  std::vector<int64_t> thread_counts() const {
    if (!threads.empty()) return threads;
    const int64_t all = available_threads();
    return all > 1 ? std::vector<int64_t>{1, all} : std::vector<int64_t>{1};
  }

  std::vector<std::string> masks() const {
    if (causal.empty()) return {"none", "bottom_right"};
    std::string name = causal;
    std::replace(name.begin(), name.end(), '-', '_');
    return {name};
  }

  void run() const {
    const std::vector<int64_t> counts = thread_counts();
    const size_t total = counts.size() * tokens.size() * masks().size();
    ProgressBar progress("bench");
    std::vector<Timing> timings;
    for (const int64_t count : counts) {
      const size_t first = timings.size();
      double peak = 0;  // the best of those measured between the runs, as their times are the best
      for (const int64_t length : tokens) {
        for (const std::string& mask : masks()) {
          peak = std::max(peak, measure_peak_flops(static_cast<int>(count)));
          timings.push_back(measure(shape(length), mask, count, repeat.value_or(5)));
          progress.show(static_cast<double>(timings.size()) / static_cast<double>(total));
        }
      }
      for (size_t i = first; i < timings.size(); ++i) timings[i].peak_gflops = peak / 1e9;
    }
    progress.finish();
    print(json ? as_json(timings) : as_table(timings));
  }
};

}  // namespace

void add_bench(CommandLine& line) {
  const auto bench = std::make_shared<Bench>();
  Command command = line.add("bench", "Measure the speed of attention on this machine",
                             "limelight bench attention --T 4096 --D 64 --causal bottom-right --threads 1,2",
                             [bench] { bench->run(); });
  bench->declare(command);
}

}  // namespace limelight::cli
