// Rewrites config.json and model.safetensors of the copy.
#include "tests/model/tiny_bert.h"

#include <cstring>

namespace limelight::testing {
namespace {

const std::filesystem::path kGolden = std::filesystem::path(LIMELIGHT_GOLDEN) / "tiny";

}  // namespace

TinyBert::TinyBert() {
  for (const char* name : {"config.json", "model.safetensors"}) {
    std::filesystem::copy_file(kGolden / "bert" / name, path() / name);
  }
  const auto file = SafetensorsFile::open(weights());
  for (const TensorInfo& info : file.tensors()) {
    Entry entry{info.name, info.shape, std::vector<float>(static_cast<size_t>(info.count()))};
    std::memcpy(entry.values.data(), info.bytes.data(), info.bytes.size());
    entries_.push_back(std::move(entry));
  }
}

void TinyBert::edit_config(const std::function<void(nlohmann::json&)>& edit) const {
  auto changed = nlohmann::json::parse(read_text(kGolden / "bert" / "config.json"));
  edit(changed);
  write_text(config(), changed.dump());
}

void TinyBert::edit_tensors(const std::function<void(Entry&)>& edit) const {
  std::vector<Entry> entries = entries_;
  SafetensorsWriter writer;
  for (Entry& entry : entries) {
    edit(entry);
    if (!entry.name.empty()) writer.add(entry.name, Dtype::kF32, entry.shape, entry.values.data());
  }
  writer.write(weights());
}

void TinyBert::add_tensor(const std::string& name, std::vector<int64_t> shape) {
  size_t count = 1;
  for (int64_t size : shape) count *= static_cast<size_t>(size);
  entries_.push_back({name, std::move(shape), std::vector<float>(count, 1.0f)});
}

std::vector<int32_t> tiny_ids(int64_t sentence) {
  const auto file = SafetensorsFile::open(kGolden / "bert.expected.safetensors");
  const auto ids = read_tensor<int64_t, 2>(file, *file.find("ids"));
  std::vector<int32_t> row;
  for (int64_t t = 0; t < ids.sizes()[1]; ++t) row.push_back(static_cast<int32_t>(ids(sentence, t)));
  return row;
}

}  // namespace limelight::testing
