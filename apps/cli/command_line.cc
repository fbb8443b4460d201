// The only source that includes CLI11, which takes long to compile.
#include "command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

#include "help_text.h"
#include "limelight/runtime.h"
#include "output.h"
#include "terminal.h"

namespace limelight::cli {
namespace {

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string expected_number(const Bounds& bounds) {
  if (bounds.most != INT64_MAX) return fmt::format("a whole number from {} to {}", bounds.least, bounds.most);
  if (bounds.least != INT64_MIN) return fmt::format("a whole number, {} or more, below 2^63", bounds.least);
  return "a whole number";
}

std::string expected_real(const RealBounds& bounds) {
  if (std::isfinite(bounds.below)) return fmt::format("a number from {} to below {}", bounds.least, bounds.below);
  if (std::isfinite(bounds.least)) return fmt::format("a finite number, {} or more", bounds.least);
  return "a finite number";
}

std::optional<std::vector<int64_t>> whole_numbers(const std::string& text) {
  if (text.ends_with(',')) return std::nullopt;  // split() drops what is empty behind it
  std::vector<int64_t> numbers;
  for (const std::string& part : CLI::detail::split(text, ',')) {
    const std::optional<int64_t> number = whole_number(part);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

// Takes the text of the option to `take`, which says whether it could use it; a misuse names what was expected.
void add_parsed(CLI::App* app, const std::string& name, const std::string& type, const std::string& help,
                const std::string& expected, std::function<bool(const std::string&)> take) {
  app->add_option_function<std::string>(
         name, [](const std::string&) {}, help)
      ->type_name(type)
      ->check([expected, take = std::move(take)](const std::string& text) {
        return take(text) ? std::string()
                          : fmt::format("expected {}, found {}", expected, text.empty() ? "an empty one" : text);
      });
}

// "--top: 1 required N missing", "json was given a disallowed flag override", "--top: At Most 1 required but received
// 2".
std::string mismatch(std::string_view what) {
  const std::string name(what.substr(0, what.find_first_of(": ")));
  if (what.ends_with(" missing")) return name + ": expected a value, found none";
  return what.ends_with(" override") ? fmt::format("--{} takes no value", name)
                                     : name + ": expected once, found more often";
}

}  // namespace

Command& Command::positional(const std::string& name, std::optional<std::string>& value, const std::string& help) {
  app_->add_option(name, value, help)->type_name("");
  return *this;
}

Command& Command::positionals(const std::string& name, std::vector<std::string>& values, const std::string& help) {
  app_->add_option(name, values, help)->type_name("");
  return *this;
}

Command& Command::flag(const std::string& name, bool& value, const std::string& help) {
  app_->add_flag(name, value, help)->disable_flag_override();
  return *this;
}

Command& Command::text(const std::string& name, std::string& value, const std::string& help, const std::string& shown) {
  add_parsed(app_, name, shown, help, "a text that is not empty", [&value](const std::string& text) {
    value = text;
    return !text.empty();
  });
  return *this;
}

Command& Command::output_file(const std::string& name, std::string& value, const std::string& help) {
  add_parsed(app_, name, "FILE", help, "a file to write (standard output is /dev/stdout)",
             [&value](const std::string& text) {
               value = text;
               return !text.empty() && text != "-";
             });
  return *this;
}

Command& Command::texts(const std::string& name, std::vector<std::string>& values, const std::string& help) {
  const auto add = [&values](const std::string& text) {
    values.push_back(text);
    return !text.empty();
  };
  add_parsed(app_, name, "TEXT", help, "a text that is not empty", add);
  app_->get_option(name)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return *this;
}

Command& Command::choice(const std::string& name, std::string& value, const std::vector<std::string>& allowed,
                         const std::string& help) {
  add_parsed(app_, name, fmt::format("{}", fmt::join(allowed, "|")), help, fmt::format("{}", fmt::join(allowed, ", ")),
             [&value, allowed](const std::string& text) {
               value = text;
               return std::find(allowed.begin(), allowed.end(), text) != allowed.end();
             });
  return *this;
}

Command& Command::number(const std::string& name, std::optional<int64_t>& value, const std::string& help, Bounds bounds,
                         const std::string& shown) {
  add_parsed(app_, name, shown, help, expected_number(bounds), [&value, bounds](const std::string& text) {
    value = whole_number(text);
    return value && *value >= bounds.least && *value <= bounds.most;
  });
  return *this;
}

Command& Command::real(const std::string& name, std::optional<float>& value, const std::string& help,
                       const std::string& shown, RealBounds bounds) {
  add_parsed(app_, name, shown, help, expected_real(bounds), [&value, bounds](const std::string& text) {
    float number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    value = number;
    return error == std::errc() && rest == text.data() + text.size() && std::isfinite(number) &&
           number >= bounds.least && number < bounds.below;
  });
  return *this;
}

Command& Command::numbers(const std::string& name, std::vector<int64_t>& values, const std::string& help, Bounds bounds,
                          size_t count, const std::string& shown) {
  const std::string amount = count == 0 ? "" : fmt::format("{} of them: ", count);
  const std::string expected = fmt::format("{}{}, with commas between", amount, expected_number(bounds));
  add_parsed(app_, name, shown, help, expected, [&values, bounds, count](const std::string& text) {
    const std::optional<std::vector<int64_t>> numbers = whole_numbers(text);
    if (numbers) values = *numbers;
    return numbers && (count == 0 || values.size() == count) &&
           std::all_of(values.begin(), values.end(), [&](int64_t n) { return n >= bounds.least && n <= bounds.most; });
  });
  return *this;
}

Command& Command::numbers_or_all(const std::string& name, std::vector<int64_t>& values, bool& all,
                                 const std::string& help) {
  add_parsed(app_, name, "all|I,J,...", help, "all, or whole numbers with commas between",
             [&values, &all](const std::string& text) {
               all = text == "all";
               const std::optional<std::vector<int64_t>> numbers = whole_numbers(text);
               if (numbers) values = *numbers;
               return all || numbers;
             });
  return *this;
}

Command& Command::required(const std::string& name) {
  app_->get_option(name)->required();
  return *this;
}

Command& Command::needs(const std::string& name, const std::string& other) {
  app_->get_option(name)->needs(app_->get_option(other));
  return *this;
}

Command& Command::excludes(const std::string& name, const std::string& other) {
  app_->get_option(name)->excludes(app_->get_option(other));
  return *this;
}

Command& Command::rule(Rule rule) {
  rules_->push_back(std::move(rule));
  return *this;
}

CommandLine::CommandLine() : app_(std::make_unique<CLI::App>("Exact attention for CPUs that you can see into.")) {
  app_->name("limelight");
  app_->set_version_flag("--version", "limelight " + version(), "Print the version");
  app_->require_subcommand(1);
  app_->footer(
      "Example:\n  limelight look \"The animal didn't cross the street because it was too tired.\" --word it\n\n"
      "Each command explains itself: limelight look --help");
}

CommandLine::~CommandLine() = default;

Command CommandLine::add(const std::string& name, const std::string& description, const std::string& example,
                         std::function<void()> run) {
  CLI::App* app = app_->add_subcommand(name, description);
  app->footer("Example:\n  " + example);
  Entry& entry = entries_[name];
  entry.run = std::move(run);
  return Command(app, &entry.rules);
}

std::string CommandLine::unknown_command(int argc, char** argv) const {
  std::vector<std::string> names;
  for (const CLI::App* command : app_->get_subcommands([](CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return fmt::format("{}; the commands are {}",
                     argc > 1 ? fmt::format("no command is called {}", argv[1]) : "no command is given",
                     fmt::join(names, ", "));
}

std::string CommandLine::unexpected_arguments() const {
  std::vector<std::string> extra;
  bool words = false;
  for (const CLI::App* command : app_->get_subcommands()) {
    extra = command->remaining();
    words = command->get_option_no_throw("TEXT") != nullptr;
  }
  words = words && std::all_of(extra.begin(), extra.end(), [](const std::string& e) { return !e.starts_with('-'); });
  return fmt::format("not expected: {}{}", fmt::join(extra, " "), words ? "; write the text in quotes" : "");
}

// A value behind an option that is not known is taken for something else, of which nothing would be the matter.
std::string CommandLine::unknown_option(int argc, char** argv) const {
  for (const CLI::App* command : app_->get_subcommands()) {
    for (int i = 2; i < argc; ++i) {
      const std::string_view given = argv[i];
      const std::string name(given.substr(0, given.find('=')));
      if (name.starts_with("--") && name != "--" && command->get_option_no_throw(name) == nullptr) return name;
    }
  }
  return "";
}

int CommandLine::run(int argc, char** argv) {
  const auto chosen = [&] {
    const std::vector<CLI::App*> parsed = app_->get_subcommands();
    return parsed.empty() ? std::string() : parsed.front()->get_name();
  };
  const auto misused = [&](const std::string& what) {
    const std::string command = chosen().empty() ? "limelight" : "limelight " + chosen();
    complain(fmt::format("{}: {}; see {} --help", command, what, command));
    return 2;
  };
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    std::ostringstream text;
    app_->exit(success, text, text);
    const Terminal terminal = standard_terminal();
    const auto column = static_cast<int64_t>(app_->get_formatter()->get_column_width());
    return report_failure(
        [&] { print(terminal.interactive ? wrapped_help(text.str(), column, terminal.width) : text.str()); });
  } catch (const CLI::ExtrasError&) {
    return misused(chosen().empty() ? unknown_command(argc, argv) : unexpected_arguments());
  } catch (const CLI::ArgumentMismatch& misuse) {
    return misused(mismatch(misuse.what()));
  } catch (const CLI::ParseError& misuse) {
    if (const std::string option = unknown_option(argc, argv); !option.empty())
      return misused("not expected: " + option);
    return misused(chosen().empty() ? unknown_command(argc, argv) : misuse.what());
  }
  const Entry& entry = entries_.at(chosen());
  for (const Command::Rule& rule : entry.rules) {
    if (const std::string wrong = rule(); !wrong.empty()) return misused(wrong);
  }
  return report_failure(entry.run);
}

}  // namespace limelight::cli
