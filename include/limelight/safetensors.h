// The safetensors format: named tensors in one mapped file, read with every length checked, written whole or not at
// all. Format: 8 bytes little-endian header length, a JSON header, the data (huggingface.co/docs/safetensors).
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limelight/storage.h"
#include "limelight/tensor.h"

namespace limelight {

enum class Dtype { kBool, kU8, kI8, kI16, kU16, kF16, kBf16, kI32, kU32, kF32, kI64, kU64, kF64 };
int64_t dtype_bytes(Dtype dtype);
std::string_view dtype_name(Dtype dtype);  // "F32"

// What tensors of T are written as.
template <class T>
requires StoredFloat<T> || std::same_as<T, int64_t> || std::same_as<T, uint8_t>
constexpr Dtype dtype_of() {
  if constexpr (std::same_as<T, float>) return Dtype::kF32;
  if constexpr (std::same_as<T, Float16>) return Dtype::kF16;
  if constexpr (std::same_as<T, BFloat16>) return Dtype::kBf16;
  if constexpr (std::same_as<T, int64_t>) return Dtype::kI64;
  return Dtype::kU8;
}

struct TensorInfo {
  std::string name;
  Dtype dtype{};
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;  // in the mapping, maybe not aligned for the type

  int64_t count() const;
  std::string shape_text() const;  // "[2, 8, 128, 64]"
};

// A mapped file, checked whole at open(): header, types, products, ranges without overlap, hole or trailing bytes.
// Throws FileError or FormatError naming file and field. Header limit: 256 MiB.
// Move-only; infos live as long as the file.
class SafetensorsFile {
 public:
  static SafetensorsFile open(const std::filesystem::path& path);
  SafetensorsFile(SafetensorsFile&&) noexcept;
  SafetensorsFile& operator=(SafetensorsFile&&) noexcept;
  ~SafetensorsFile();

  const std::filesystem::path& path() const;
  const std::vector<TensorInfo>& tensors() const;       // in file order
  const TensorInfo* find(std::string_view name) const;  // nullptr when absent
  const std::vector<std::pair<std::string, std::string>>& metadata() const;

 private:
  struct State;
  explicit SafetensorsFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Reads a tensor of this rank as T. F16, BF16, F32 and F64 become float, Float16 or BFloat16, rounded to the nearest
// where that is narrower (F64 to float first); integers become int64_t; BOOL and U8 become uint8_t. Throws FormatError
// when type or rank do not fit. Instantiated for these five, ranks 1 to 4.
template <class T, int Rank>
Tensor<T, Rank> read_tensor(const SafetensorsFile& file, const TensorInfo& info);

// Collects tensors and writes them to a temporary name beside `path`, flushed and renamed when whole; on failure
// nothing is left. Data is aligned for its type: wider types come first. Pointers must stay alive until write(). add()
// throws std::invalid_argument for a name in use or sizes that do not fit, write() for text that is not UTF-8, and
// FileError. A device or pipe (as /dev/stdout) cannot be replaced and is written in place.
class SafetensorsWriter {
 public:
  void add(std::string name, Dtype dtype, std::vector<int64_t> shape, const void* data);
  template <class T, int Rank>
  void add(std::string name, const Tensor<T, Rank>& t) {
    add(std::move(name), dtype_of<T>(), {t.sizes().begin(), t.sizes().end()}, t.data());
  }
  void add_metadata(std::string key, std::string value);
  void write(const std::filesystem::path& path) const;

 private:
  struct Entry {
    std::string name;
    Dtype dtype;
    std::vector<int64_t> shape;
    const void* data;
  };
  std::vector<Entry> entries_;
  std::vector<std::pair<std::string, std::string>> metadata_;
};

}  // namespace limelight
