// Byte-level BPE small enough to read.
#include "tests/model/small_bpe.h"

#include <algorithm>

#include "model/byte_level.h"

namespace limelight::testing {

SmallBpe::SmallBpe(std::vector<std::string> pairs) : merges(std::move(pairs)) {
  for (int byte = 0; byte < 256; ++byte) tokens.push_back(detail::piece_of_byte(static_cast<unsigned char>(byte)));
  for (std::string piece : merges) {
    piece.erase(std::remove(piece.begin(), piece.end(), ' '), piece.end());
    tokens.push_back(piece);
  }
}

Json small_bpe(const std::vector<std::string>& merges) {
  const SmallBpe parts(merges);
  Json config = Json::parse(R"({
    "version": "1.0", "added_tokens": [], "normalizer": null, "post_processor": null,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
    "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
    "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
              "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "vocab": {}, "merges": []}})");
  for (size_t id = 0; id < parts.tokens.size(); ++id) config["model"]["vocab"][parts.tokens[id]] = id;
  config["model"]["merges"] = merges;
  return config;
}

}  // namespace limelight::testing
