// Where a command's text comes from: the argument TEXT, standard input for "-", or a file.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "command_line.h"

namespace limelight::cli {

class TextSource {
 public:
  // A text must be given, except where the command has another input, as `elsewhere` says.
  void declare(
      Command& command, std::function<bool()> elsewhere = [] { return false; });

  // Without the line end that closes it.
  std::string text() const;

  const std::string& file() const { return file_; }  // "" where the text is not from a file

 private:
  std::optional<std::string> argument_;
  std::string file_;
};

// Without the line end that closes it.
std::string without_last_line_end(std::string text);

}  // namespace limelight::cli
