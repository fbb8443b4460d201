// Rewrites config.json and model.safetensors of the copy.
#include "tests/model/tiny_checkpoint.h"

#include <cstring>

#include "limelight/safetensors.h"

namespace limelight::testing {
namespace {

const std::filesystem::path kTiny = std::filesystem::path(LIMELIGHT_GOLDEN) / "tiny";

}  // namespace

TinyCheckpoint::TinyCheckpoint(const std::string& name) {
  for (const char* file : {"config.json", "model.safetensors"}) {
    std::filesystem::copy_file(kTiny / name / file, path() / file);
  }
  const auto file = SafetensorsFile::open(weights());
  for (const TensorInfo& info : file.tensors()) {
    Entry entry{info.name, info.shape, std::vector<float>(static_cast<size_t>(info.count()))};
    std::memcpy(entry.values.data(), info.bytes.data(), info.bytes.size());
    entries_.push_back(std::move(entry));
  }
}

void TinyCheckpoint::edit_config(const std::function<void(nlohmann::json&)>& edit) const {
  auto changed = nlohmann::json::parse(read_text(config()));
  edit(changed);
  write_text(config(), changed.dump());
}

void TinyCheckpoint::edit_tensors(const std::function<void(Entry&)>& edit) {
  for (Entry& entry : entries_) edit(entry);
  write(weights(), [](const Entry&) { return true; });
}

void TinyCheckpoint::add_tensor(const std::string& name, std::vector<int64_t> shape, float value) {
  size_t count = 1;
  for (int64_t size : shape) count *= static_cast<size_t>(size);
  entries_.push_back({name, std::move(shape), std::vector<float>(count, value)});
  edit_tensors([](Entry&) {});
}

void TinyCheckpoint::write(const std::filesystem::path& file, const std::function<bool(const Entry&)>& chosen) const {
  SafetensorsWriter writer;
  for (const Entry& entry : entries_) {
    if (!entry.name.empty() && chosen(entry)) {
      writer.add(entry.name, Dtype::kF32, entry.shape, entry.values.data());
    }
  }
  writer.write(file);
}

std::vector<int32_t> tiny_ids(const std::string& name, int64_t sentence) {
  const auto file = SafetensorsFile::open(kTiny / (name + ".expected.safetensors"));
  const auto ids = read_tensor<int64_t, 2>(file, *file.find("ids"));
  std::vector<int32_t> row;
  for (int64_t t = 0; t < ids.sizes()[1]; ++t) row.push_back(static_cast<int32_t>(ids(sentence, t)));
  return row;
}

}  // namespace limelight::testing
