// Stop texts in a stream: text is held back while it may be the beginning of one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace limelight::detail {

// Of several stop texts the one that is complete first counts; of those that end together the longest. So the result
// does not depend on how the text is cut into pushes.
class StopTexts {
 public:
  explicit StopTexts(std::vector<std::string> stops) : stops_(std::move(stops)) {}

  // Adds to the text and returns what of it is now sure to stand before any stop text.
  std::string push(std::string_view text);
  std::string finish();  // what was held back: no more text comes

  bool stopped() const { return stopped_; }  // push() met one; what comes later is dropped

 private:
  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace limelight::detail
