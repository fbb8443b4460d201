// A body is parsed, held against the schema, and handed to the function of its name; what that throws becomes an error.
#include "answer.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <new>

#include "call.h"
#include "limelight/error.h"
#include "schema.h"
#include "wording.h"

namespace limelight::studio {
namespace {

using Answerer = Json (*)(const Call&);

const std::map<std::string, Answerer>& answerers() {
  static const std::map<std::string, Answerer> all = {
      {"models", models_call},       {"look", look_call},       {"heads", heads_call},
      {"grid", grid_call},           {"map", map_call},         {"thumbnails", thumbnails_call},
      {"generate", generate_call},   {"export", export_call},   {"preset", preset_call},
      {"recipe", recipe_call},       {"scaling", scaling_call}, {"tiles", tiles_call},
      {"mistakes", mistakes_call},   {"memory", memory_call},   {"speed", speed_call},
      {"recurrent", recurrent_call}, {"class", class_call}};
  return all;
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Whatever nests deeper than any request is refused before it takes memory.
std::optional<Json> parse(const std::string& body) {
  constexpr int kDeepest = 8;
  bool deep = false;
  const Json json = Json::parse(
      body,
      [&](int depth, Json::parse_event_t, Json&) {
        deep = deep || depth > kDeepest;
        return !deep;
      },
      false);
  return json.is_discarded() || deep ? std::nullopt : std::optional(json);
}

// "[attention] scale: expected a finite number, found inf" -> its field, what was expected and what was found.
Reply refused(int status, const std::exception& error) {
  constexpr std::string_view kExpected = ": expected ", kFound = ", found ";
  const std::string message = of_fields(error.what());
  const size_t colon = message.find(':');
  const size_t expected = message.find(kExpected), found = message.rfind(kFound);
  std::string field = message.substr(0, std::min(colon, message.find(' ')));
  if (colon == std::string::npos || !api_schema().is_field(field)) field.clear();
  if (expected == std::string::npos || found == std::string::npos || found < expected) {
    return error_reply(status, message, field);
  }
  const size_t from = expected + kExpected.size();
  return error_reply(status, message, field, message.substr(from, found - from), message.substr(found + kFound.size()));
}

// Asks on behalf of the work whether it shall go on: until whoever listens says no, or the time is up.
class Patience {
 public:
  explicit Patience(const Listener& listener) : listener_(listener) {}

  bool go_on(double done) {
    most_ = std::max(most_, std::min(done, 1.0));
    late_ = late_ || std::chrono::steady_clock::now() > until_;
    return !late_ && (!listener_.progress || listener_.progress(most_));
  }
  bool late() const { return late_; }

 private:
  const Listener& listener_;
  const std::chrono::steady_clock::time_point until_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(Limits::kSeconds);
  double most_ = 0;
  bool late_ = false;
};

Reply work(Studio& studio, Answerer answerer, const Json& asked, const Listener& listener) {
  constexpr int kLeft = 499;  // whoever asked is gone and reads no reply
  Patience patience(listener);
  const Call call{
      studio, asked, {.progress = [&](double done) { return patience.go_on(done); }}, [&](const Json& part) {
        if (listener.part) listener.part(dump(part));
      }};
  try {
    return {200, dump(answerer(call))};
  } catch (const std::invalid_argument& error) {
    return refused(400, error);
  } catch (const Cancelled&) {
    if (!patience.late()) return error_reply(kLeft, "stopped");
    return error_reply(504, fmt::format("it took longer than {} s and was stopped; ask for less", Limits::kSeconds));
  } catch (const FileError& error) {
    return refused(409, error);
  } catch (const std::bad_alloc&) {
    return error_reply(503, "there is not enough memory for it; ask for less");
  } catch (const std::exception& error) {
    return refused(500, error);
  }
}

}  // namespace

Reply error_reply(int status, const std::string& message, const std::string& field, const std::string& expected,
                  const std::string& found) {
  const auto or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  const Json error = {
      {"field", or_null(field)}, {"expected", or_null(expected)}, {"found", or_null(found)}, {"message", message}};
  return {status, dump({{"error", error}})};
}

Reply answer(Studio& studio, const Request& request, const Listener& listener) {
  const auto answerer = answerers().find(request.call);
  if (answerer == answerers().end()) return error_reply(404, fmt::format("there is no call {}", request.call));
  if (static_cast<int64_t>(request.body.size()) > Limits::kBodyBytes) {
    return error_reply(413, fmt::format("the body is larger than {} bytes", Limits::kBodyBytes));
  }
  const std::optional<Json> asked = parse(request.body);
  if (!asked || !asked->is_object()) return error_reply(400, "the body is not a JSON object in UTF-8");
  if (const auto wrong = api_schema().mismatch(request.call + ".request", *asked)) {
    return error_reply(400, fmt::format("{}: expected {}, found {}", wrong->field, wrong->expected, wrong->found),
                       wrong->field, wrong->expected, wrong->found);
  }
  return work(studio, answerer->second, *asked, listener);
}

}  // namespace limelight::studio
