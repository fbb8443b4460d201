// A known name is looked up in the models folder; any other is a path.
#include "models_folder.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "core/error.h"
#include "output.h"

namespace limelight::cli {
namespace {

namespace fs = std::filesystem;

// The variable's value, or "" when it is not set.
std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// HOME, or where it is not set the user's entry in the list of users.
fs::path home_folder() {
  if (const std::string set = environment("HOME"); !set.empty()) return set;
  const passwd* user = getpwuid(getuid());
  return user != nullptr ? user->pw_dir : "/";
}

bool on_disk(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

const KnownModel* find_known(const std::string& name) {
  const auto& known = known_models();
  const auto found = std::find_if(known.begin(), known.end(), [&](const KnownModel& m) { return m.name == name; });
  return found == known.end() ? nullptr : &*found;
}

// Where a model is, and the name it is shown by; empty: its own.
std::pair<fs::path, std::string> place_of(const std::string& name) {
  const KnownModel* known = find_known(name);
  if (known == nullptr) {
    if (on_disk(name)) return {name, ""};
    detail::fail_file(fmt::format(
        "model {}: neither a known name nor a folder or .gguf file; limelight models lists the names", name));
  }
  if (!is_present(*known)) {
    detail::fail_file(
        fmt::format("model {}: not in {}; bring it with: {}", name, models_folder().native(), fetch_command(name)));
  }
  return {models_folder() / name, name};
}

}  // namespace

const std::vector<KnownModel>& known_models() {
  static const std::vector<KnownModel> models = {{"minilm", "BERT encoder", "model.safetensors", false},
                                                 {"smollm2", "Llama decoder", "SmolLM2-135M-Instruct.Q4_1.gguf", true}};
  return models;
}

fs::path models_folder() {
  if (const std::string set = environment("LIMELIGHT_MODELS"); !set.empty()) return set;
  if (const std::string data = environment("XDG_DATA_HOME"); !data.empty()) return fs::path(data) / "limelight/models";
  return home_folder() / ".local/share/limelight/models";
}

bool is_present(const KnownModel& model) {
  return on_disk(models_folder() / model.name / model.file);
}

std::string fetch_command(std::string_view name) {
  return fmt::format("tools/get-model {}", name);
}

bool is_known(const std::string& name) {
  return find_known(name) != nullptr;
}

std::unique_ptr<studio::Reader> load_model(const std::string& name) {
  const auto [path, shown] = place_of(name);
  std::unique_ptr<studio::Reader> reader = studio::load_reader(path, shown);
  if (const std::string unused = studio::unused_note(*reader); !unused.empty()) note(unused);
  return reader;
}

studio::ReaderFacts model_facts(const std::string& name) {
  const auto [path, shown] = place_of(name);
  return studio::read_facts(path, shown);
}

}  // namespace limelight::cli
