// Where tests find a real model: $LIMELIGHT_MODELS/NAME, else limelight/models/NAME in the user's data folder.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace limelight::testing {

inline std::filesystem::path model_folder(const std::string& name) {
  const auto variable = [](const char* key) {
    const char* value = std::getenv(key);
    return std::filesystem::path(value == nullptr ? "" : value);
  };
  if (const auto models = variable("LIMELIGHT_MODELS"); !models.empty()) return models / name;
  const auto data = variable("XDG_DATA_HOME");
  return (data.empty() ? variable("HOME") / ".local/share" : data) / "limelight/models" / name;
}

inline bool has_model(const std::string& name) {
  return std::filesystem::exists(model_folder(name));
}

// For GTEST_SKIP.
inline std::string how_to_bring(const std::string& name) {
  return model_folder(name).string() + " is missing: run tools/get-model " + name;
}

}  // namespace limelight::testing
