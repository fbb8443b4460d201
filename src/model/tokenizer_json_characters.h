// The steps of a tokenizer.json with a BPE of characters (byte_fallback), as folders of Llama 2 and Mistral have it.
#pragma once

#include "model/json_field.h"
#include "model/tokenizer_config.h"

namespace limelight::detail {

// The vocabulary and its merges have been read.
void read_character_bpe(const JsonField& model, MergeTable merges, TokenizerConfig& config);

// Prepend and Replace of U+2581, or a Sequence of these.
void read_space_marks(const JsonField& normalizer, TokenizerConfig& config);

// Metaspace, as it was written before it had a prepend_scheme and since.
void read_metaspace(const JsonField& pre_tokenizer, TokenizerConfig& config);

// Replace, ByteFallback and Fuse; Strip where a space at the start is not the text's.
void read_character_decoder(const JsonField& decoder, TokenizerConfig& config);

}  // namespace limelight::detail
