// A mapped GGUF file, and finding things in it by name.
#include <fstream>
#include <system_error>
#include <unordered_map>

#include "core/error.h"
#include "limelight/gguf.h"
#include "model/gguf_reader.h"
#include "model/mapped_file.h"
#include "model/quoted_name.h"

namespace limelight {

struct GgufFile::State {
  explicit State(const std::filesystem::path& p)
      : path(p), file(p), contents(detail::parse_gguf(file.bytes(), p.string())) {
    for (const auto& [key, value] : contents.metadata) metadata.emplace(key, &value);
    for (const GgufTensor& tensor : contents.tensors) tensors.emplace(tensor.name, &tensor);
  }

  std::filesystem::path path;
  detail::MappedFile file;
  detail::GgufContents contents;
  std::unordered_map<std::string_view, const GgufValue*> metadata;
  std::unordered_map<std::string_view, const GgufTensor*> tensors;
};

GgufFile::GgufFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
GgufFile::GgufFile(GgufFile&&) noexcept = default;
GgufFile& GgufFile::operator=(GgufFile&&) noexcept = default;
GgufFile::~GgufFile() = default;

GgufFile GgufFile::open(const std::filesystem::path& path) {
  return GgufFile(std::make_unique<State>(path));
}

bool GgufFile::recognises(const std::filesystem::path& path) {
  std::error_code error;
  if (path.extension() == ".gguf") return !std::filesystem::is_directory(path, error);
  if (!std::filesystem::is_regular_file(path, error)) return false;
  char start[detail::kGgufMagic.size()] = {};
  std::ifstream(path, std::ios::binary).read(start, sizeof start);
  return std::string_view(start, sizeof start) == detail::kGgufMagic;
}

const std::filesystem::path& GgufFile::path() const {
  return state_->path;
}

int GgufFile::version() const {
  return state_->contents.version;
}

std::vector<std::string_view> GgufFile::keys() const {
  std::vector<std::string_view> keys;
  for (const auto& [key, value] : state_->contents.metadata) keys.push_back(key);
  return keys;
}

std::optional<GgufField> GgufFile::find(std::string_view key) const {
  const auto found = state_->metadata.find(key);
  if (found == state_->metadata.end()) return std::nullopt;
  return GgufField(*this, found->first, *found->second);
}

GgufField GgufFile::operator[](std::string_view key) const {
  const std::optional<GgufField> field = find(key);
  if (!field) detail::fail_format(path().string() + ": metadata " + detail::in_quotes(key) + ": is missing");
  return *field;
}

const std::vector<GgufTensor>& GgufFile::tensors() const {
  return state_->contents.tensors;
}

const GgufTensor* GgufFile::find_tensor(std::string_view name) const {
  const auto found = state_->tensors.find(name);
  return found == state_->tensors.end() ? nullptr : found->second;
}

void GgufFile::release(const GgufTensor& tensor) const {
  detail::release_pages(tensor.bytes);
}

int64_t GgufTensor::count() const {
  const WeightBlock block = weight_block(type);
  return static_cast<int64_t>(bytes.size()) / block.bytes * block.weights;
}

std::string GgufTensor::shape_text() const {
  return detail::shape_text(shape.data(), static_cast<int64_t>(shape.size()));
}

}  // namespace limelight
