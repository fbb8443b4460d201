// The GGUF format: a model in one mapped file, metadata and tensors, read with every count and range checked.
// Format: github.com/ggml-org/ggml, docs/gguf.md; versions 2 and 3, little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limelight/quantised.h"

namespace limelight {

// In the order of the format's numbers.
enum class GgufType { kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kString, kArray, kU64, kI64, kF64 };

// A value where it stands in the file, checked: `count` elements one after the other (1 unless it is an array).
struct GgufValue {
  GgufType type{};     // kArray for an array
  GgufType element{};  // of an array's elements, else the type again
  uint64_t count = 1;
  std::span<const std::byte> bytes;
};

struct GgufTensor {
  std::string_view name;
  WeightType type{};
  std::vector<int64_t> shape;        // last axis contiguous: [out, in] for a linear layer (the file lists it reversed)
  std::span<const std::byte> bytes;  // in the mapping, rows of whole blocks, maybe not aligned for the type

  int64_t count() const;
  std::string shape_text() const;  // "[576, 1536]"
};

class GgufFile;

// A metadata value that knows its file and key: reading it as another type is a FormatError naming both.
class GgufField {
 public:
  bool as_bool() const;
  int64_t as_integer(int64_t low, int64_t high) const;  // any integer type, within the bounds
  double as_number() const;                             // any float or integer type
  std::string_view as_text() const;                     // in the mapping
  std::vector<int64_t> as_integers(int64_t low, int64_t high) const;
  std::vector<double> as_numbers() const;
  std::vector<std::string_view> as_texts() const;
  const GgufValue& value() const { return value_; }

  // Throws FormatError: "FILE: metadata 'KEY': expected EXPECTED, found WHAT".
  [[noreturn]] void refuse(const std::string& expected) const;

 private:
  friend class GgufFile;
  GgufField(const GgufFile& file, std::string_view key, GgufValue value) : file_(&file), key_(key), value_(value) {}
  const GgufFile* file_;
  std::string_view key_;
  GgufValue value_;
};

// A mapped file, checked whole at open(): counts, types, names given twice, products, alignment, ranges without
// overlap. The end of the last tensor may lack its padding. Throws FileError or FormatError naming file and field, in
// time and memory in proportion to what the file really holds. Tensor types other than WeightType are refused by name.
// Move-only; views and fields live as long as the file (fields: until it is moved).
class GgufFile {
 public:
  static GgufFile open(const std::filesystem::path& path);
  // Whether open() is what to read `path` with: a file that is called .gguf or begins as one, whatever its name.
  static bool recognises(const std::filesystem::path& path);
  GgufFile(GgufFile&&) noexcept;
  GgufFile& operator=(GgufFile&&) noexcept;
  ~GgufFile();

  const std::filesystem::path& path() const;
  int version() const;
  std::vector<std::string_view> keys() const;  // in file order

  GgufField operator[](std::string_view key) const;           // metadata that must be there
  std::optional<GgufField> find(std::string_view key) const;  // absent: nullopt

  const std::vector<GgufTensor>& tensors() const;              // in file order
  const GgufTensor* find_tensor(std::string_view name) const;  // nullptr when absent

  // Lets the tensor's pages leave memory until they are read again: for those who have copied it.
  void release(const GgufTensor& tensor) const;

 private:
  struct State;
  explicit GgufFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace limelight
