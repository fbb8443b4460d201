// A tokenizer.json small enough to read, for tests to change one field of.
#pragma once

#include <functional>
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

std::vector<int32_t> ids_of(const std::vector<Token>& tokens);

// What loading a tokenizer.json of this text says, in one short line, less the file's name; that it is refused is
// expected.
std::string refusal(const std::string& text);

// Damages the text of `good` in `runs` ways and hands `use` what can still be loaded; how many were refused with a
// FormatError. Anything else ends the test.
int refused_of_damaged(const Json& good, uint32_t seed, int runs, const std::function<void(const Tokenizer&)>& use);

// The encoded text without the template's tokens, as "piece@begin-end piece@begin-end".
std::string encoded(const Tokenizer& tokenizer, std::string_view text);

}  // namespace limelight::testing
