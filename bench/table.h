// The arguments every subject takes, and its results: rows of named values, aligned or as a JSON list.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace limelight::bench {

class Table {
 public:
  // --json, --only TEXT, --threads LIST, --help, and one word more where `argument` names it: "FOLDER", or "[FOLDER]"
  // that may be left out. Ends the program for --help (which shows `about`) and, with 2, for what is not understood.
  Table(int argc, char** argv, const std::string& about, const std::string& argument = "");

  // Whether --only leaves the case of this name.
  bool wants(const std::string& name) const { return name.find(only_) != std::string::npos; }
  // Numbers of threads to measure with: of --threads, else 1 and, where there are two processors, 2.
  const std::vector<int>& threads() const { return threads_; }
  // The word that is no option; empty unless given.
  const std::string& argument() const { return argument_; }

  using Row = std::vector<std::pair<std::string, std::string>>;
  void add(Row row);  // printed at once when aligned
  ~Table();

 private:
  std::string only_, argument_;
  std::vector<int> threads_;
  bool json_ = false;
  std::vector<Row> rows_;
};

std::string number(double value, int decimals);

// As in "H8 T1024 D64 causal".
std::string case_name(int64_t heads, int64_t tokens, int64_t head_size, bool causal = false);

}  // namespace limelight::bench
