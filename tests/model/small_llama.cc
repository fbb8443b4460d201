// A Llama 2 of letters.
#include "tests/model/small_llama.h"

#include <algorithm>
#include <numeric>

#include "model/bpe_characters.h"

namespace limelight::testing {

SmallLlama::SmallLlama(const std::vector<std::string>& pieces) : tokens({"<unk>", "<s>", "</s>"}) {
  for (int byte = 0; byte < 256; ++byte)
    tokens.push_back(detail::byte_fallback_piece(static_cast<unsigned char>(byte)));
  tokens.insert(tokens.end(), pieces.begin(), pieces.end());
  for (size_t id = 0; id < tokens.size(); ++id) scores.push_back(-static_cast<double>(id));
}

Json SmallLlama::json() const {
  Json config = Json::parse(R"({
    "version": "1.0", "pre_tokenizer": null,
    "normalizer": {"type": "Sequence", "normalizers": [
      {"type": "Prepend", "prepend": "\u2581"},
      {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}]},
    "post_processor": {"type": "TemplateProcessing",
      "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
      "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}},
    "decoder": {"type": "Sequence", "decoders": [
      {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}, {"type": "ByteFallback"},
      {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
    "model": {"type": "BPE", "dropout": null, "unk_token": "<unk>", "continuing_subword_prefix": null,
              "end_of_word_suffix": null, "fuse_unk": true, "byte_fallback": true, "ignore_merges": false,
              "vocab": {}, "merges": []}})");
  Json& vocabulary = config["model"]["vocab"];
  for (size_t id = 0; id < tokens.size(); ++id) vocabulary[tokens[id]] = id;
  for (int id = 0; id < 3; ++id)
    config["added_tokens"].push_back(added_token(id, tokens[static_cast<size_t>(id)], {"special"}));
  std::vector<size_t> order(tokens.size() - 259);
  std::iota(order.begin(), order.end(), 259);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  for (const size_t id : order) {
    const std::string& piece = tokens[id];
    for (size_t cut = 1; cut < piece.size(); ++cut) {
      const std::string left = piece.substr(0, cut), right = piece.substr(cut);
      if (!detail::is_utf8(left) || !vocabulary.contains(left) || !vocabulary.contains(right)) continue;
      config["model"]["merges"].push_back({left, right});
    }
  }
  return config;
}

Json SmallLlama::metaspace() const {
  Json config = json();
  config["normalizer"] = nullptr;
  config["pre_tokenizer"] = {
      {"type", "Metaspace"}, {"replacement", "\u2581"}, {"prepend_scheme", "first"}, {"split", false}};
  return config;
}

detail::TokenizerParts SmallLlama::parts() const {
  detail::TokenizerParts parts;
  parts.file = "x.gguf";
  parts.model = "llama";
  parts.tokens.assign(tokens.begin(), tokens.end());
  parts.token_types.assign(tokens.size(), 1);
  for (size_t id = 0; id < 259; ++id) parts.token_types[id] = id == 0 ? 2 : id < 3 ? 3 : 6;
  parts.scores = scores;
  parts.bos = 1;
  parts.eos = 2;
  return parts;
}

}  // namespace limelight::testing
