// The command line, with CLI11 behind it: commands declare their arguments, then run.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace limelight::cli {

struct Bounds {
  int64_t least = INT64_MIN;
  int64_t most = INT64_MAX;
};

struct RealBounds {
  float least = -std::numeric_limits<float>::infinity();
  float below = std::numeric_limits<float>::infinity();
};

// The arguments of one subcommand. Values are written into the variables given, which must live until run().
class Command {
 public:
  using Rule = std::function<std::string()>;

  Command(CLI::App* app, std::vector<Rule>* rules) : app_(app), rules_(rules) {}

  // Named as it is shown in help, "TEXT".
  Command& positional(const std::string& name, std::optional<std::string>& value, const std::string& help);
  Command& positionals(const std::string& name, std::vector<std::string>& values, const std::string& help);

  Command& flag(const std::string& name, bool& value, const std::string& help);
  // `shown` stands for the value in help; so below.
  Command& text(const std::string& name, std::string& value, const std::string& help,
                const std::string& shown = "TEXT");
  // A file to write; not "-", which would be a file of that name.
  Command& output_file(const std::string& name, std::string& value, const std::string& help);
  Command& texts(const std::string& name, std::vector<std::string>& values, const std::string& help);  // given often
  Command& choice(const std::string& name, std::string& value, const std::vector<std::string>& allowed,
                  const std::string& help);
  Command& number(const std::string& name, std::optional<int64_t>& value, const std::string& help, Bounds bounds,
                  const std::string& shown = "N");
  Command& real(const std::string& name, std::optional<float>& value, const std::string& help,
                const std::string& shown = "X", RealBounds bounds = {});
  // "2,8,16"; of exactly `count` numbers unless that is 0.
  Command& numbers(const std::string& name, std::vector<int64_t>& values, const std::string& help, Bounds bounds = {},
                   size_t count = 0, const std::string& shown = "I,J,...");
  // The same, or the word "all".
  Command& numbers_or_all(const std::string& name, std::vector<int64_t>& values, bool& all, const std::string& help);

  Command& required(const std::string& name);
  Command& needs(const std::string& name, const std::string& other);
  Command& excludes(const std::string& name, const std::string& other);
  // Asked when all values are in place: what is wrong with them together, "" when nothing is.
  Command& rule(Rule rule);

 private:
  CLI::App* app_;
  std::vector<Rule>* rules_;
};

class CommandLine {
 public:
  CommandLine();
  ~CommandLine();

  // Adds a subcommand; `run` is called once all arguments are known to be good.
  Command add(const std::string& name, const std::string& description, const std::string& example,
              std::function<void()> run);

  // The exit code: 0 good, 1 failed, 2 misuse. Errors are one line on standard error.
  int run(int argc, char** argv);

 private:
  std::string unknown_command(int argc, char** argv) const;
  std::string unexpected_arguments() const;
  std::string unknown_option(int argc, char** argv) const;

  struct Entry {
    std::vector<Command::Rule> rules;
    std::function<void()> run;
  };
  std::unique_ptr<CLI::App> app_;
  std::map<std::string, Entry> entries_;
};

}  // namespace limelight::cli
