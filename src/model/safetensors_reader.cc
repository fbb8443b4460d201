// Reading safetensors: after open() every tensor's bytes are known to be there, to be its own and to fit its shape.
#include "model/safetensors_reader.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "core/error.h"
#include "model/foreign_file.h"
#include "model/mapped_file.h"
#include "model/quoted_name.h"
#include "model/safetensors_header.h"

namespace limelight {
namespace detail {
namespace {

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kMaxHeader = uint64_t{256} << 20;

// The header's text, its length checked against the limit and the file.
std::string_view header_text(std::string_view bytes, const std::string& file) {
  const auto refuse = [&](std::string what) {
    fail_format(file + ": " + what.append(foreign_hint(bytes, ModelFile::kSafetensors)));
  };
  if (bytes.size() < kLengthBytes) {
    refuse("expected at least 8 bytes, found " + std::to_string(bytes.size()));
  }
  uint64_t length = 0;
  for (uint64_t i = 0; i < kLengthBytes; ++i) length |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  const std::string found = ", found " + std::to_string(length);
  const uint64_t rest = bytes.size() - kLengthBytes;
  if (length < 2) refuse("header length: expected at least 2" + found);
  if (length > kMaxHeader)
    refuse("is not a safetensors file: header length: expected at most " + std::to_string(kMaxHeader) + found);
  if (length > rest) {
    refuse("header length: expected at most the " + std::to_string(rest) + " bytes after it" + found + ": " +
           std::to_string(length - rest) + " bytes are missing");
  }
  return bytes.substr(kLengthBytes, length);
}

// No file is larger, and eight times as much still counts in 64 bits.
constexpr uint64_t kMaxBytes = uint64_t{1} << 60;

// Product of the sizes times the element size, or false beyond kMaxBytes; a size of 0 does not hide what the others
// are.
bool byte_count(const SafetensorsHeader::Entry& entry, uint64_t& bytes) {
  bytes = static_cast<uint64_t>(dtype_bytes(entry.dtype));
  bool empty = false;
  for (uint64_t size : entry.shape) {
    empty = empty || size == 0;
    const uint64_t factor = std::max<uint64_t>(1, size);
    if (size > kMaxBytes || __builtin_mul_overflow(bytes, factor, &bytes) || bytes > kMaxBytes) return false;
  }
  if (empty) bytes = 0;
  return true;
}

std::string range_text(uint64_t begin, uint64_t end) {
  return "[" + std::to_string(begin) + ", " + std::to_string(end) + "]";
}

// No tensor ends beyond the file; of a truncated one the last is named.
void check_length(const std::vector<SafetensorsHeader::Entry>& entries, uint64_t data_bytes, const std::string& file) {
  const auto last = std::max_element(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return a.data_offsets[1] < b.data_offsets[1];
  });
  if (last == entries.end() || last->data_offsets[1] <= data_bytes) return;
  fail_format(file + ": tensor " + in_quotes(last->name) + " data_offsets: expected an end within the file's " +
              std::to_string(data_bytes) + " bytes of data, found " +
              range_text(last->data_offsets[0], last->data_offsets[1]) + ": " +
              std::to_string(last->data_offsets[1] - data_bytes) + " bytes are missing");
}

// `data` reaches as far as any offset.
TensorInfo checked_info(const SafetensorsHeader::Entry& entry, std::span<const std::byte> data,
                        const std::string& file) {
  const std::string field = file + ": tensor " + in_quotes(entry.name);
  TensorInfo info{entry.name, entry.dtype, {entry.shape.begin(), entry.shape.end()}, {}};
  uint64_t bytes = 0;
  if (!byte_count(entry, bytes)) {
    std::string found;
    for (uint64_t size : entry.shape) found += (found.empty() ? "[" : ", ") + std::to_string(size);
    fail_format(field + " shape: expected a product of at most 2^60 bytes, found " + found + "]");
  }
  const uint64_t begin = entry.data_offsets[0], end = entry.data_offsets[1];
  if (begin > end) {
    fail_format(field + " data_offsets: expected begin <= end, found " + range_text(begin, end));
  }
  if (end - begin != bytes) {
    fail_format(field + " data_offsets: expected " + std::to_string(bytes) + " bytes for " +
                std::string(dtype_name(info.dtype)) + " " + info.shape_text() + ", found " + range_text(begin, end));
  }
  info.bytes = data.subspan(begin, end - begin);
  return info;
}

// Tensors in the order of their bytes must follow each other without overlap or hole, to the end of the file.
void check_cover(const std::vector<TensorInfo>& tensors, std::span<const std::byte> data, const std::string& file) {
  const std::byte* next = data.data();
  for (const TensorInfo& info : tensors) {
    if (info.bytes.data() != next) {
      fail_format(file + ": tensor " + in_quotes(info.name) + " data_offsets: expected to begin at " +
                  std::to_string(next - data.data()) + ", where the tensor before ends, found " +
                  std::to_string(info.bytes.data() - data.data()));
    }
    next += info.bytes.size();
  }
  const auto trailing = data.data() + data.size() - next;
  if (trailing != 0) {
    fail_format(file + ": expected the last tensor to end the file, found " + std::to_string(trailing) +
                " bytes after it");
  }
}

}  // namespace

SafetensorsContents parse_safetensors(std::span<const std::byte> bytes, const std::string& file) {
  const std::string_view text = header_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file);
  SafetensorsHeader header = read_safetensors_header(text, file);
  const auto data = bytes.subspan(kLengthBytes + text.size());
  check_length(header.entries, data.size(), file);
  SafetensorsContents contents{{}, std::move(header.metadata)};
  contents.tensors.reserve(header.entries.size());
  for (const auto& entry : header.entries) contents.tensors.push_back(checked_info(entry, data, file));
  std::stable_sort(contents.tensors.begin(), contents.tensors.end(), [](const TensorInfo& a, const TensorInfo& b) {
    return std::pair(a.bytes.data(), a.bytes.size()) < std::pair(b.bytes.data(), b.bytes.size());
  });
  check_cover(contents.tensors, data, file);
  return contents;
}

}  // namespace detail

int64_t TensorInfo::count() const {
  return static_cast<int64_t>(bytes.size()) / dtype_bytes(dtype);
}

std::string TensorInfo::shape_text() const {
  return detail::shape_text(shape.data(), static_cast<int64_t>(shape.size()));
}

struct SafetensorsFile::State {
  explicit State(const std::filesystem::path& p)
      : path(p), file(p), contents(detail::parse_safetensors(file.bytes(), p.string())) {
    for (const TensorInfo& info : contents.tensors) index.emplace(info.name, &info);
  }

  std::filesystem::path path;
  detail::MappedFile file;
  detail::SafetensorsContents contents;
  std::unordered_map<std::string_view, const TensorInfo*> index;
};

SafetensorsFile::SafetensorsFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
SafetensorsFile::SafetensorsFile(SafetensorsFile&&) noexcept = default;
SafetensorsFile& SafetensorsFile::operator=(SafetensorsFile&&) noexcept = default;
SafetensorsFile::~SafetensorsFile() = default;

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& path) {
  return SafetensorsFile(std::make_unique<State>(path));
}

const std::filesystem::path& SafetensorsFile::path() const {
  return state_->path;
}
const std::vector<TensorInfo>& SafetensorsFile::tensors() const {
  return state_->contents.tensors;
}
const std::vector<std::pair<std::string, std::string>>& SafetensorsFile::metadata() const {
  return state_->contents.metadata;
}

const TensorInfo* SafetensorsFile::find(std::string_view name) const {
  const auto found = state_->index.find(name);
  return found == state_->index.end() ? nullptr : found->second;
}

}  // namespace limelight
