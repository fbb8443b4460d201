// A text from an editor or a pipe ends with a line end that is not part of the sentence.
#include "text_source.h"

#include <utility>

#include "output.h"

namespace limelight::cli {

void TextSource::declare(Command& command, std::function<bool()> elsewhere) {
  command.positional("TEXT", argument_, "The text; - reads standard input")
      .text("--file", file_, "Read the text from this file", "FILE")
      .excludes("--file", "TEXT")
      .rule([this, elsewhere = std::move(elsewhere)] {
        return argument_ || !file_.empty() || elsewhere()
                   ? ""
                   : "no text is given; write it in quotes, or use --file, or - for standard input";
      });
}

std::string TextSource::text() const {
  if (!file_.empty()) return without_last_line_end(read_file(file_));
  return argument_ == "-" ? without_last_line_end(read_file("-")) : argument_.value_or("");
}

std::string without_last_line_end(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

}  // namespace limelight::cli
