// The steps of a tokenizer.json up to its model: each fills its part of the config, or is refused by name.
#pragma once

#include "model/json_field.h"
#include "model/tokenizer_config.h"

namespace limelight::detail {

int32_t read_id(const JsonField& field);
void add_to_vocabulary(Vocabulary& vocabulary, const std::string& text, const JsonField& id);
const Piece& find_in_vocabulary(const Vocabulary& vocabulary, const JsonField& token);

// The model fills the vocabulary too, so it is read first.
void read_model(const JsonField& model, TokenizerConfig& config);
void read_normalizer(const JsonField& normalizer, TokenizerConfig& config);
void read_pre_tokenizer(const JsonField& root, TokenizerConfig& config);  // only a BPE of characters may have none

}  // namespace limelight::detail
