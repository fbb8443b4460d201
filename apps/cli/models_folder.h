// Models by name or by path: where they are kept, which are known, which are there.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "limelight/model.h"

namespace limelight::cli {

struct KnownModel {
  std::string_view name;
  std::string_view kind;
  std::string_view file;  // in its folder, once it is there
  bool runs = false;      // in this version
};
const std::vector<KnownModel>& known_models();

// $LIMELIGHT_MODELS, or limelight/models under the user's data folder.
std::filesystem::path models_folder();
bool is_present(const KnownModel& model);
std::string fetch_command(std::string_view name);

// A known name, or the path of a Hugging Face folder. Throws FileError saying the command that brings what is missing.
Encoder load_model(const std::string& name);

}  // namespace limelight::cli
