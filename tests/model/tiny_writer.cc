// Byte-level BPE without merges and without the bytes the model has no rows for.
#include "tests/model/tiny_writer.h"

#include "tests/model/small_bpe.h"

namespace limelight::testing {
namespace {

constexpr int kVocabulary = 96;

}  // namespace

TinyWriter::TinyWriter() : TinyDecoder("llama") {
  Json tokenizer = small_bpe({});
  auto& pieces = tokenizer["model"]["vocab"];
  for (auto piece = pieces.begin(); piece != pieces.end();) {
    piece = piece.value() >= kVocabulary ? pieces.erase(piece) : std::next(piece);
  }
  write_text(path() / "tokenizer.json", tokenizer.dump());
}

void TinyWriter::edit_tokenizer(const std::function<void(nlohmann::json&)>& edit) const {
  auto changed = nlohmann::json::parse(read_text(path() / "tokenizer.json"));
  edit(changed);
  write_text(path() / "tokenizer.json", changed.dump());
}

void TinyWriter::end_with(int32_t id) const {
  edit_config(
      [id](nlohmann::json& config) { config["eos_token_id"] = id < 0 ? nlohmann::json() : nlohmann::json(id); });
}

}  // namespace limelight::testing
