// limelight info: what this program is and what it found on this machine.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "command_line.h"
#include "commands.h"
#include "limelight/runtime.h"
#include "models_folder.h"
#include "output.h"
#include "table.h"

namespace limelight::cli {
namespace {

struct Cache {
  std::string name;
  int64_t bytes = 0;  // 0: the system does not say
};

std::vector<Cache> caches() {
  return {{"L1d", sysconf(_SC_LEVEL1_DCACHE_SIZE)},
          {"L2", sysconf(_SC_LEVEL2_CACHE_SIZE)},
          {"L3", sysconf(_SC_LEVEL3_CACHE_SIZE)}};
}

std::string as_table() {
  std::vector<std::string> sizes;
  for (const Cache& cache : caches()) {
    sizes.push_back(cache.bytes > 0 ? fmt::format("{} {} KiB", cache.name, cache.bytes / 1024)
                                    : cache.name + " unknown");
  }
  return table({{"version", version()},
                {"instruction sets", fmt::format("{}", fmt::join(available_isas(), " "))},
                {"in use", active_isa()},
                {"threads", std::to_string(available_threads())},
                {"caches", fmt::format("{}", fmt::join(sizes, ", "))},
                {"models", models_folder().string()}},
               "ll");
}

std::string as_json() {
  nlohmann::ordered_json info = {{"version", version()},
                                 {"isas", available_isas()},
                                 {"active_isa", active_isa()},
                                 {"threads", available_threads()}};
  for (const Cache& cache : caches()) info["caches"][cache.name] = cache.bytes;
  info["models"] = models_folder().string();
  return info.dump(2) + "\n";
}

}  // namespace

void add_info(CommandLine& line) {
  const auto json = std::make_shared<bool>(false);
  line.add("info", "Say the version, instruction sets, threads, caches and the models folder", "limelight info",
           [json] { print(*json ? as_json() : as_table()); })
      .flag("--json", *json, "Print JSON");
}

}  // namespace limelight::cli
