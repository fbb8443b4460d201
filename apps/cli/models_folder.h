// Models by name or by path: where they are kept, which are known, which are there.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "studio/reader.h"

namespace limelight::cli {

struct KnownModel {
  std::string_view name;
  std::string_view kind;
  std::string_view file;  // in its folder, once it is there
  bool writes = false;    // goes on with a text
};
const std::vector<KnownModel>& known_models();

// $LIMELIGHT_MODELS, or limelight/models under the user's data folder.
std::filesystem::path models_folder();
bool is_present(const KnownModel& model);
bool is_known(const std::string& name);
std::string fetch_command(std::string_view name);

// A known name, or the path of a Hugging Face folder or a .gguf file; notes tensors that are not used. Throws FileError
// saying the command that brings what is missing.
std::unique_ptr<studio::Reader> load_model(const std::string& name);

// The same model's facts, without its weights.
studio::ReaderFacts model_facts(const std::string& name);

}  // namespace limelight::cli
