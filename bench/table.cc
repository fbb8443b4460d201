// Arguments and results of the benchmarks.
#include "bench/table.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "limelight/runtime.h"

namespace limelight::bench {
namespace {

[[noreturn]] void misuse(const std::string& message) {
  std::fprintf(stderr, "%s; --help says what there is\n", message.c_str());
  std::exit(2);
}

[[noreturn]] void help(const char* program, const std::string& about, const std::string& argument) {
  std::printf(
      "%s\n\nUsage: %s%s [--json] [--only TEXT] [--threads LIST]\n"
      "  --json          a JSON list instead of a table\n"
      "  --only TEXT     only the cases whose name holds TEXT\n"
      "  --threads LIST  numbers of threads, as 1,2\n",
      about.c_str(), program, argument.empty() ? "" : (" " + argument).c_str());
  std::exit(0);
}

std::vector<int> threads_of(const std::string& list) {
  std::vector<int> threads;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    const bool digits = word.size() < 5 && word.find_first_not_of("0123456789") == std::string::npos;
    threads.push_back(digits ? std::atoi(word.c_str()) : 0);
    if (threads.back() < 1) break;
  }
  if (threads.empty() || threads.back() < 1) misuse("--threads: expected numbers as 1,2, found " + list);
  return threads;
}

int width_of(size_t column, const std::string& name) {
  return static_cast<int>(std::max<size_t>(column == 0 ? 30 : 10, name.size() + 2));
}

// Whether JSON takes it as a number as it stands.
bool is_number(const std::string& value) {
  char* end = nullptr;
  std::strtod(value.c_str(), &end);
  return !value.empty() && value.find_first_not_of("0123456789.-e") == std::string::npos && *end == '\0';
}

}  // namespace

Table::Table(int argc, char** argv, const std::string& about, const std::string& argument) {
  for (int threads = 1; threads <= std::min(2, available_threads()); ++threads) threads_.push_back(threads);
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool takes_value = word == "--only" || word == "--threads";
    if (takes_value && i + 1 == argc) misuse(word + ": a value is missing");
    if (word == "--help") help(argv[0], about, argument);
    if (word == "--json") {
      json_ = true;
    } else if (word == "--only") {
      only_ = argv[++i];
    } else if (word == "--threads") {
      threads_ = threads_of(argv[++i]);
    } else if (!argument.empty() && argument_.empty() && !word.starts_with("-")) {
      argument_ = word;
    } else {
      misuse(word + ": not understood");
    }
  }
  if (argument_.empty() && !argument.empty() && !argument.starts_with("[")) misuse(argument + " is missing");
}

void Table::add(Row row) {
  if (!json_) {
    const auto print = [](size_t column, const std::string& name, const std::string& text) {
      std::printf("%*s", column == 0 ? -width_of(column, name) : width_of(column, name), text.c_str());
    };
    if (rows_.empty()) {
      for (size_t c = 0; c < row.size(); ++c) print(c, row[c].first, row[c].first);
      std::printf("\n");
    }
    for (size_t c = 0; c < row.size(); ++c) print(c, row[c].first, row[c].second);
    std::printf("\n");
    std::fflush(stdout);
  }
  rows_.push_back(std::move(row));
}

Table::~Table() {
  if (rows_.empty() && !only_.empty()) std::fprintf(stderr, "--only: no case has %s in its name\n", only_.c_str());
  if (!json_) return;
  std::printf("[");
  for (size_t r = 0; r < rows_.size(); ++r) {
    std::printf("%s{", r == 0 ? "" : ",\n ");
    for (size_t c = 0; c < rows_[r].size(); ++c) {
      const auto& [name, value] = rows_[r][c];
      const char* quote = is_number(value) ? "" : "\"";
      std::printf("%s\"%s\": %s%s%s", c == 0 ? "" : ", ", name.c_str(), quote, value.c_str(), quote);
    }
    std::printf("}");
  }
  std::printf("]\n");
}

std::string number(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", decimals, value);
  return text;
}

std::string case_name(int64_t heads, int64_t tokens, int64_t head_size, bool causal) {
  return "H" + std::to_string(heads) + " T" + std::to_string(tokens) + " D" + std::to_string(head_size) +
         (causal ? " causal" : "");
}

}  // namespace limelight::bench
