// Reading GGUF: nothing is believed of a count or a length before the bytes for it are known to be there.
#include "model/gguf_reader.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_set>

#include "core/error.h"
#include "model/foreign_file.h"
#include "model/gguf_cursor.h"
#include "model/gguf_tensor_type.h"
#include "model/quoted_name.h"

namespace limelight::detail {
namespace {

constexpr uint64_t kDefaultAlignment = 32;
constexpr uint64_t kMaxAlignment = uint64_t{1} << 16;
constexpr uint64_t kMaxAxes = 4;

// The fewest bytes an entry takes: lengths and types, and one byte of a name.
constexpr uint64_t kLeastMetadata = 8 + 1 + 4 + 1;
constexpr uint64_t kLeastTensor = 8 + 1 + 4 + 8 + 4 + 8;

// No file is larger, and sums of two still count in 64 bits.
constexpr uint64_t kMaxBytes = uint64_t{1} << 60;

struct Header {
  int version;
  uint64_t tensors, metadata;
};

Header read_header(GgufCursor& cursor, std::string_view start) {
  cursor.at("header");
  if (const std::string_view magic = cursor.characters(kGgufMagic.size()); magic != kGgufMagic) {
    cursor.refuse("'GGUF' at the start of the file", in_quotes(magic).append(foreign_hint(start, ModelFile::kGguf)));
  }
  cursor.at("version");
  const uint64_t version = cursor.number(4);
  if (version == 0x02000000 || version == 0x03000000) cursor.refuse("a little-endian file", "a big-endian one");
  if (version != 2 && version != 3) cursor.refuse("2 or 3", std::to_string(version));
  Header header{static_cast<int>(version), 0, 0};
  cursor.at("tensor count");
  header.tensors = cursor.number(8);
  cursor.at("metadata count");
  header.metadata = cursor.number(8);
  if (header.metadata > cursor.left() / kLeastMetadata) {
    cursor.refuse("at most the " + std::to_string(cursor.left() / kLeastMetadata) + " that fit the file",
                  std::to_string(header.metadata));
  }
  cursor.at("tensor count");
  if (header.tensors > cursor.left() / kLeastTensor) {
    cursor.refuse("at most the " + std::to_string(cursor.left() / kLeastTensor) + " that fit the file",
                  std::to_string(header.tensors));
  }
  return header;
}

uint64_t alignment_of(const GgufContents& contents, GgufCursor& cursor) {
  constexpr std::string_view kKey = "general.alignment";
  for (const auto& [key, value] : contents.metadata) {
    if (key != kKey) continue;
    cursor.at("metadata", kKey);
    if (value.type != GgufType::kU32) cursor.refuse("UINT32", std::string(gguf_type_name(value.type)));
    const uint64_t alignment = gguf_bits(value.bytes.data(), value.type);
    if (!std::has_single_bit(alignment) || alignment < 8 || alignment > kMaxAlignment) {
      cursor.refuse("a power of two from 8 to " + std::to_string(kMaxAlignment), std::to_string(alignment));
    }
    return alignment;
  }
  return kDefaultAlignment;
}

// A tensor as listed; its bytes are still to be found.
struct Listed {
  GgufTensor tensor;
  uint64_t offset = 0, bytes = 0;
};

// The sizes, reversed, and from their product the bytes.
void read_shape(GgufCursor& cursor, Listed& listed) {
  const uint64_t axes = cursor.number(4);
  if (axes < 1 || axes > kMaxAxes) cursor.refuse("1 to 4 axes", std::to_string(axes));
  uint64_t count = 1;
  bool empty = false;
  for (uint64_t axis = 0; axis < axes; ++axis) {
    const uint64_t size = cursor.number(8);
    empty = empty || size == 0;
    // A size of 0 does not hide what the others are.
    if (size > kMaxBytes || __builtin_mul_overflow(count, std::max<uint64_t>(1, size), &count) || count > kMaxBytes) {
      cursor.refuse("a product of sizes of at most 2^60",
                    "size " + std::to_string(size) + " on axis " + std::to_string(axis));
    }
    listed.tensor.shape.insert(listed.tensor.shape.begin(), static_cast<int64_t>(size));
  }
  const uint64_t id = cursor.number(4);
  const std::optional<WeightType> type = find_tensor_type(id);
  if (!type) cursor.refuse("a type of " + tensor_type_list(), tensor_type_text(id));
  listed.tensor.type = *type;
  const WeightBlock block = weight_block(*type);
  const int64_t row = listed.tensor.shape.back();
  if (row % block.weights != 0) {
    cursor.refuse(
        "rows of whole blocks of " + std::to_string(block.weights) + " " + std::string(weight_type_name(*type)),
        "rows of " + std::to_string(row));
  }
  listed.bytes = empty ? 0 : count / static_cast<uint64_t>(block.weights);
  if (__builtin_mul_overflow(listed.bytes, static_cast<uint64_t>(block.bytes), &listed.bytes) ||
      listed.bytes > kMaxBytes) {
    cursor.refuse("at most 2^60 bytes", listed.tensor.shape_text());
  }
}

Listed read_tensor(GgufCursor& cursor, uint64_t index, uint64_t alignment) {
  Listed listed;
  cursor.at("tensor number", index);
  listed.tensor.name = cursor.name();
  cursor.at("tensor", listed.tensor.name);
  read_shape(cursor, listed);
  listed.offset = cursor.number(8);
  if (listed.offset % alignment != 0) {
    cursor.refuse("an offset that is a multiple of " + std::to_string(alignment), std::to_string(listed.offset));
  }
  return listed;
}

// Every tensor lies within the data and on no other; gaps are padding.
void place(std::vector<Listed>& tensors, std::span<const std::byte> data, GgufCursor& cursor) {
  std::vector<Listed*> order;
  for (Listed& listed : tensors) order.push_back(&listed);
  std::stable_sort(order.begin(), order.end(), [](const Listed* a, const Listed* b) {
    return std::pair(a->offset, a->bytes) < std::pair(b->offset, b->bytes);
  });
  uint64_t end = 0;
  for (Listed* listed : order) {
    cursor.at("tensor", listed->tensor.name);
    const uint64_t most = data.size() - std::min<uint64_t>(data.size(), listed->bytes);
    if (listed->bytes > data.size() || listed->offset > most) {
      const uint64_t missing =
          listed->offset > kMaxBytes ? listed->offset : listed->offset + listed->bytes - data.size();
      cursor.refuse("an end within the file's " + std::to_string(data.size()) + " bytes of data",
                    std::to_string(listed->bytes) + " bytes at offset " + std::to_string(listed->offset) + ": " +
                        std::to_string(missing) + " bytes are missing");
    }
    if (listed->bytes > 0 && listed->offset < end) {
      cursor.refuse("an offset of at least " + std::to_string(end) + ", where the tensor before ends",
                    std::to_string(listed->offset));
    }
    end = std::max(end, listed->offset + listed->bytes);
    listed->tensor.bytes = data.subspan(listed->offset, listed->bytes);
  }
}

void read_metadata(GgufCursor& cursor, uint64_t count, GgufContents& contents) {
  std::unordered_set<std::string_view> keys;
  contents.metadata.reserve(count);
  for (uint64_t n = 0; n < count; ++n) {
    cursor.at("metadata number", n);
    const std::string_view key = cursor.name();
    cursor.at("metadata", key);
    if (!keys.insert(key).second) cursor.refuse("a key of its own", "it twice");
    contents.metadata.emplace_back(key, cursor.value());
  }
}

std::vector<Listed> read_tensors(GgufCursor& cursor, uint64_t count, uint64_t alignment) {
  std::unordered_set<std::string_view> names;
  std::vector<Listed> tensors;
  tensors.reserve(count);
  for (uint64_t n = 0; n < count; ++n) {
    tensors.push_back(read_tensor(cursor, n, alignment));
    if (!names.insert(tensors.back().tensor.name).second) cursor.refuse("a name of its own", "it twice");
  }
  return tensors;
}

}  // namespace

GgufContents parse_gguf(std::span<const std::byte> bytes, const std::string& file) {
  GgufCursor cursor(bytes, file);
  const Header header = read_header(cursor, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  GgufContents contents;
  contents.version = header.version;
  read_metadata(cursor, header.metadata, contents);
  const uint64_t alignment = alignment_of(contents, cursor);
  std::vector<Listed> tensors = read_tensors(cursor, header.tensors, alignment);
  const uint64_t begin = (cursor.position() + alignment - 1) / alignment * alignment;
  place(tensors, bytes.subspan(std::min<uint64_t>(begin, bytes.size())), cursor);
  contents.tensors.reserve(tensors.size());
  for (Listed& listed : tensors) contents.tensors.push_back(std::move(listed.tensor));
  return contents;
}

}  // namespace limelight::detail
