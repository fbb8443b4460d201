// $ref, anyOf, type, enum, minimum, maximum, exclusiveMinimum, lengths, items, properties, required; unknown properties
// are refused where additionalProperties is false. Other words of JSON Schema are remarks here.
#include "schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "embedded_files.h"
#include "limelight/tokenizer.h"

namespace limelight::studio {
namespace {

using Json = nlohmann::ordered_json;

bool is_type(const Json& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  return value.is_null();
}

bool has_type(const Json& rule, const Json& value) {
  const auto type = rule.find("type");
  if (type == rule.end()) return true;
  if (type->is_string()) return is_type(value, type->get<std::string>());
  return std::any_of(type->begin(), type->end(), [&](const Json& t) { return is_type(value, t.get<std::string>()); });
}

// "from 1 to 12", "of at least 1"; empty without bounds.
std::string between(const Json& rule, const char* least, const char* most, const std::string& unit = "") {
  const bool low = rule.contains(least), high = rule.contains(most);
  if (low && high) return fmt::format(" from {} to {}{}", rule[least].dump(), rule[most].dump(), unit);
  if (low) return fmt::format(" from {}{}", rule[least].dump(), unit);
  return high ? fmt::format(" up to {}{}", rule[most].dump(), unit) : "";
}

std::string shown(const Json& value) {
  constexpr size_t kMost = 60;
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

int64_t length_of(const Json& value) {
  const auto& text = value.get_ref<const std::string&>();
  return code_points(text, static_cast<int64_t>(text.size()));
}

class Check {
 public:
  explicit Check(const Json& definitions) : definitions_(definitions) {}

  std::optional<Mismatch> operator()(const Json& given, const Json& value, const std::string& field) const {
    const Json& rule = followed(given);
    if (const auto any = rule.find("anyOf"); any != rule.end()) {
      const bool fits = std::any_of(any->begin(), any->end(), [&](const Json& r) { return !(*this)(r, value, field); });
      return fits ? std::nullopt : wrong(rule, value, field);
    }
    if (!has_type(rule, value) || !is_listed(rule, value) || !is_within(rule, value)) return wrong(rule, value, field);
    if (value.is_object()) return check_object(rule, value, field);
    return value.is_array() && rule.contains("items") ? check_items(rule["items"], value, field) : std::nullopt;
  }

 private:
  const Json& followed(const Json& rule) const {
    constexpr size_t kStart = sizeof("#/$defs/") - 1;
    const auto link = rule.find("$ref");
    return link == rule.end() ? rule : definitions_.at(link->get<std::string>().substr(kStart));
  }

  static bool is_listed(const Json& rule, const Json& value) {
    const auto list = rule.find("enum");
    return list == rule.end() || std::find(list->begin(), list->end(), value) != list->end();
  }

  static bool is_within(const Json& rule, const Json& value) {
    const auto inside = [&](const char* least, const char* most, const auto& size) {
      return !(rule.contains(least) && size < rule[least]) && !(rule.contains(most) && size > rule[most]);
    };
    if (value.is_number()) {
      return inside("minimum", "maximum", value) &&
             !(rule.contains("exclusiveMinimum") && value <= rule["exclusiveMinimum"]);
    }
    if (value.is_array()) return inside("minItems", "maxItems", Json(value.size()));
    return !value.is_string() || inside("minLength", "maxLength", Json(length_of(value)));
  }

  std::optional<Mismatch> check_object(const Json& rule, const Json& value, const std::string& field) const {
    const auto name_of = [&](const std::string& key) { return field.empty() ? key : field + "." + key; };
    const auto properties = rule.find("properties");
    if (properties == rule.end()) return std::nullopt;
    for (const auto& [key, part] : value.items()) {
      if (properties->contains(key) || rule.value("additionalProperties", true)) continue;
      std::vector<std::string> known;
      for (const auto& [name, ignored] : properties->items()) known.push_back(name);
      return Mismatch{name_of(key), fmt::format("no other field than {}", fmt::join(known, ", ")), shown(part)};
    }
    for (const auto& [key, part] : properties->items()) {
      if (!value.contains(key)) continue;
      if (auto found = (*this)(part, value.at(key), name_of(key))) return found;
    }
    for (const Json& key : rule.value("required", Json::array())) {
      const auto& name = key.get_ref<const std::string&>();
      if (!value.contains(name)) return Mismatch{name_of(name), describe(properties->at(name)), "nothing"};
    }
    return std::nullopt;
  }

  std::optional<Mismatch> check_items(const Json& rule, const Json& value, const std::string& field) const {
    for (size_t i = 0; i < value.size(); ++i) {
      if (auto found = (*this)(rule, value[i], fmt::format("{}[{}]", field, i))) return found;
    }
    return std::nullopt;
  }

  std::optional<Mismatch> wrong(const Json& rule, const Json& value, const std::string& field) const {
    return Mismatch{field, describe(rule), shown(value)};
  }

  // What would fit, for people.
  std::string describe(const Json& given) const {
    const Json& rule = followed(given);
    std::vector<std::string> choices;
    if (rule.contains("anyOf")) {
      for (const Json& part : rule["anyOf"]) choices.push_back(describe(part));
    } else if (rule.contains("enum")) {
      for (const Json& part : rule["enum"]) choices.push_back(part.is_string() ? part.get<std::string>() : part.dump());
    } else if (rule.contains("type") && rule["type"].is_array()) {
      for (const Json& type : rule["type"]) choices.push_back(describe_type(rule, type.get<std::string>()));
    } else {
      choices.push_back(describe_type(rule, rule.value("type", "object")));
    }
    return fmt::format("{}", fmt::join(choices, " or "));
  }

  static std::string describe_type(const Json& rule, const std::string& type) {
    if (type == "integer") return "a whole number" + between(rule, "minimum", "maximum");
    if (type == "number") {
      const std::string above = rule.contains("exclusiveMinimum") ? " above " + rule["exclusiveMinimum"].dump() : "";
      return "a number" + above + between(rule, "minimum", "maximum");
    }
    if (type == "string") return "a text" + between(rule, "minLength", "maxLength", " characters");
    if (type == "array") return "a list" + between(rule, "minItems", "maxItems", " long");
    if (type == "boolean") return "true or false";
    return type == "object" ? "an object" : type;
  }

  const Json& definitions_;
};

}  // namespace

Schema::Schema(std::string_view text) : definitions_(std::make_unique<const Json>(Json::parse(text).at("$defs"))) {}
Schema::~Schema() = default;

bool Schema::is_field(const std::string& name) const {
  return std::any_of(definitions_->begin(), definitions_->end(), [&](const Json& rule) {
    return rule.contains("properties") && rule["properties"].contains(name);
  });
}

std::optional<Mismatch> Schema::mismatch(const std::string& definition, const Json& value) const {
  return Check(*definitions_)(definitions_->at(definition), value, "");
}

const Schema& api_schema() {
  static const Schema schema(find_embedded("studio-api.schema.json")->bytes);
  return schema;
}

}  // namespace limelight::studio
