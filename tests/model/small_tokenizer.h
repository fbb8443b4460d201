// A tokenizer.json small enough to read, for tests to change one field of.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "limelight/tokenizer.h"

namespace limelight::testing {

using Json = nlohmann::json;

// Uncased; vocabulary [UNK] [CLS] [SEP] [MASK] and a few pieces; the template [CLS] A [SEP].
Json small_config();

// An entry of added_tokens with every flag false; `flags` names those that are true.
Json added_token(int id, const std::string& content, const std::vector<std::string>& flags = {});

Tokenizer load_config(const Json& config);

// The encoded text without the template's tokens, as "piece@begin-end piece@begin-end".
std::string encoded(const Tokenizer& tokenizer, std::string_view text);

}  // namespace limelight::testing
