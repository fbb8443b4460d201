// The answers as JSON: the keys that the program prints and that the page reads.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "head_ranking.h"
#include "limelight/tokenizer.h"
#include "spotlight.h"

namespace limelight::studio {

// {model, mask, layer, head, chosen_by, text, query {word, index}, row, special, special_percent, entropy, lse};
// for a grid {..., text, words, grid: [{query, row, ...}]}. A row lists {word, index, weight, percent, blocked}, and
// blocked_because of what is blocked. Where the first token is part of a word there is first_token {word, weight,
// percent} too. Without the first token: without_first is true and the shares say which are left_out. At another
// temperature than 1 there is temperature. Of a rollout head is null and layer the last one. With vectors: vectors
// {scale, queries [{token, piece, q_before_rope, q}], keys [{token, piece, k_before_rope, k, v}]}, those before rope
// where the model rotates.
std::string spotlight_json(const Spotlight& light);
nlohmann::ordered_json spotlight_object(const Spotlight& light);

// The same with what a page needs besides: gaps, special_name, sum, tokens, temperature, notes.
nlohmann::ordered_json look_object(const Spotlight& light);

// {earlier, later}: why what is blocked before and after the unit that looks is, for weights that are sent without
// shares.
nlohmann::ordered_json blocked_reasons_object();

// [{layer, head, weight, blocked}] from strongest.
std::string head_ranking_json(const HeadRanking& ranking);

// [{id, piece, start, end, special}]; start and end count code points of the text, 0 and 0 for a special token.
std::string tokens_json(std::string_view text, const std::vector<Token>& tokens);

}  // namespace limelight::studio
