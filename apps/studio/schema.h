// JSON held against a schema: the part of JSON Schema that docs/studio-api.schema.json uses.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace limelight::studio {

struct Mismatch {
  std::string field;  // "layer", "d_k[2]"; empty: the whole value
  std::string expected;
  std::string found;
};

class Schema {
 public:
  explicit Schema(std::string_view text);
  ~Schema();

  bool is_field(const std::string& name) const;  // of any definition, at its top

  // The first thing in `value` that does not fit the definition, in the order of the schema; nothing where all fits.
  std::optional<Mismatch> mismatch(const std::string& definition, const nlohmann::ordered_json& value) const;

 private:
  std::unique_ptr<const nlohmann::ordered_json> definitions_;
};

// What the page may ask and what it is answered: "look.request", "look.response", "speed.part", "error".
const Schema& api_schema();

}  // namespace limelight::studio
