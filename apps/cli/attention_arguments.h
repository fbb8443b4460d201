// The arguments that attend and bench share: which keys a query may see, and how numbers are stored.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "command_line.h"
#include "limelight/attention.h"

namespace limelight::cli {

class AttentionArguments {
 public:
  // --causal and --dtype; the texts say what holds unless they are given.
  void declare(Command& command, const std::string& causal_help, const std::string& dtype_help);

  std::optional<Causal> causal() const;
  std::optional<Storage> dtype() const;

 private:
  std::string causal_;
  std::string dtype_;
};

// "none", "top_left", "bottom_right"
std::string_view causal_name(Causal causal);

}  // namespace limelight::cli
