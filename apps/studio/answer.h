// One function from a request to a response. It knows no HTTP; docs/studio-api.md says what may be asked.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "model_shelf.h"

namespace limelight::studio {

struct Studio {
  ModelShelf models;
  std::mutex measuring = {};  // speed is measured by one call at a time
};

struct Limits {
  static constexpr int64_t kTextBytes = 262144;
  static constexpr int64_t kTokens = 8192;
  static constexpr int64_t kGridTokens = 512;
  static constexpr int64_t kLessonTokens = 64;
  static constexpr int64_t kBodyBytes = int64_t{1} << 20;
  static constexpr int64_t kSeconds = 120;
};

struct Request {
  std::string call;  // "look"
  std::string body;  // JSON
};

struct Reply {
  int status = 200;  // as HTTP counts
  std::string body;  // JSON: the response, or an error
};

// Told while a call works, from any one thread at a time. `progress` may be asked often; false stops the work.
struct Listener {
  Progress progress = nullptr;
  std::function<void(const std::string& json)> part = nullptr;
};

// Never throws but std::bad_alloc. Safe from several threads at once.
Reply answer(Studio& studio, const Request& request, const Listener& listener = {});

// An error as a reply: what is empty is null.
Reply error_reply(int status, const std::string& message, const std::string& field = "",
                  const std::string& expected = "", const std::string& found = "");

}  // namespace limelight::studio
