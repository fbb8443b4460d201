// limelight bench: how fast attention runs here, as a share of what the processor can do in the same run.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "attention_arguments.h"
#include "bench_case.h"
#include "command_line.h"
#include "commands.h"
#include "output.h"
#include "progress.h"
#include "table.h"

namespace limelight::cli {
namespace {

struct Timing {
  BenchCase bench;
  Rate rate;
};

// The sizes that all lines share stand above them.
std::string as_table(const std::string& what, const std::vector<Timing>& timings) {
  const BenchCase& first = timings.front().bench;
  const bool reads = first.subject == Subject::kDecode;
  std::vector<std::vector<std::string>> cells = {
      {"M", "N", "causal", "threads", "ms", reads ? "GB/s" : "GFLOP/s", "peak", "share"}};
  for (const auto& [c, rate] : timings) {
    cells.push_back({std::to_string(c.queries), std::to_string(c.keys), std::string(causal_name(c.causal)),
                     std::to_string(c.threads), fmt::format("{:.3f}", rate.seconds * 1e3),
                     fmt::format("{:.1f}", rate.reached / 1e9), fmt::format("{:.1f}", rate.limit / 1e9),
                     fmt::format("{:.1f} %", rate.share * 100)});
  }
  return fmt::format("{}, {}: B {}, H {}, G {}, D {}, E {}\n\n{}", what, storage_name(first.storage), first.batch,
                     first.heads, first.groups, first.head_size, first.value_size, table(cells, "rrlrrrrr"));
}

std::string as_json(const std::string& what, const std::vector<Timing>& timings) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& [c, rate] : timings) {
    const std::string unit = c.subject == Subject::kDecode ? "gbytes" : "gflops";
    list.push_back({{"what", what},
                    {"dtype", storage_name(c.storage)},
                    {"B", c.batch},
                    {"H", c.heads},
                    {"G", c.groups},
                    {"M", c.queries},
                    {"N", c.keys},
                    {"D", c.head_size},
                    {"E", c.value_size},
                    {"causal", causal_name(c.causal)},
                    {"threads", c.threads},
                    {"seconds", rate.seconds},
                    {unit, rate.reached / 1e9},
                    {"peak_" + unit, rate.limit / 1e9},
                    {"share", rate.share}});
  }
  return list.dump(2) + "\n";
}

struct Bench {
  std::string what = "attention";
  AttentionArguments arguments;
  std::optional<int64_t> batch, heads, groups, queries, keys, depth, value, repeat;
  std::vector<int64_t> tokens = {1024, 4096};
  std::vector<int64_t> threads;
  bool json = false;

  void declare(Command& command) {
    constexpr Bounds kSize{.least = 1, .most = int64_t{1} << 30};
    command
        .choice("WHAT", what, {"attention", "backward", "decode"},
                "What is measured: attention against the processor's multiply-adds; that and its gradients together; "
                "or one query on many keys against a loop that reads memory")
        .numbers("--T", tokens, "Tokens, M = N (decode: N), one measurement each; 1024,4096 unless given", kSize)
        .number("--M", queries, "Queries, where they differ from T; decode: 1 unless given", kSize)
        .number("--N", keys, "Keys, where they differ from T", kSize)
        .number("--B", batch, "Batch; 1 unless given", kSize)
        .number("--H", heads, "Query heads; 1 unless given", kSize)
        .number("--G", groups, "Key and value heads; H unless given", kSize)
        .number("--D", depth, "Head size; 64 unless given", kSize)
        .number("--E", value, "Value size; D unless given", kSize);
    arguments.declare(command, "The mask; none and bottom-right unless given (decode: none)",
                      "What all tensors are stored as; f32 unless given");
    command
        .numbers("--threads", threads, "Numbers of threads, one measurement each; 1 and all processors unless given",
                 {.least = 1, .most = 4096})
        .number("--repeat", repeat, "Runs of about 0.1 s, of which the median counts; 5 unless given",
                {.least = 1, .most = 10000})
        .flag("--json", json, "Print JSON")
        .rule([this] {
          return what == "decode" && arguments.causal() == Causal::kTopLeft
                     ? "decode: with --causal top-left the query would see the first key alone"
                     : "";
        });
  }

  Subject subject() const {
    return what == "backward" ? Subject::kBackward : what == "decode" ? Subject::kDecode : Subject::kAttention;
  }

  std::vector<int64_t> thread_counts() const {
    if (!threads.empty()) return threads;
    const int64_t all = available_threads();
    return all > 1 ? std::vector<int64_t>{1, all} : std::vector<int64_t>{1};
  }

  std::vector<Causal> masks() const {
    if (const std::optional<Causal> causal = arguments.causal()) return {*causal};
    if (subject() == Subject::kDecode) return {Causal::kNone};
    return {Causal::kNone, Causal::kBottomRight};
  }

  std::vector<BenchCase> cases() const {
    std::vector<BenchCase> list;
    for (const int64_t count : thread_counts()) {
      for (const int64_t length : tokens) {
        for (const Causal causal : masks()) {
          list.push_back({.subject = subject(),
                          .batch = batch.value_or(1),
                          .heads = heads.value_or(1),
                          .groups = groups.value_or(heads.value_or(1)),
                          .queries = queries.value_or(subject() == Subject::kDecode ? 1 : length),
                          .keys = keys.value_or(length),
                          .head_size = depth.value_or(64),
                          .value_size = value.value_or(depth.value_or(64)),
                          .storage = arguments.dtype().value_or(Storage::kF32),
                          .causal = causal,
                          .threads = count});
        }
      }
    }
    return list;
  }

  static void warn_if_long(const BenchCase& bench) {
    constexpr double kLong = 60;
    const double least = least_seconds(bench);
    if (least < kLong) return;
    note(fmt::format("M {}, N {}: a call takes at least {:.0f} s; Ctrl-C ends it", bench.queries, bench.keys, least));
  }

  void run() const {
    const std::vector<BenchCase> list = cases();
    for (const BenchCase& bench : list) warn_if_long(bench);
    ProgressBar progress("bench");
    std::vector<Timing> timings;
    for (const BenchCase& bench : list) {
      timings.push_back({bench, measure_case(bench, repeat.value_or(5))});
      progress.show(static_cast<double>(timings.size()) / static_cast<double>(list.size()));
    }
    progress.finish();
    const auto unsure = std::count_if(timings.begin(), timings.end(), [](const Timing& t) { return !t.rate.steady; });
    if (unsure > 0) {
      note(fmt::format("the peak moved by more than 5 % in every run of {} of {} measurements; these shares are unsure",
                       unsure, timings.size()));
    }
    print(json ? as_json(what, timings) : as_table(what, timings));
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
