// A BPE of characters is described by a chain of small steps; only what such models have is known here.
#include "model/tokenizer_json_characters.h"

#include <string>
#include <utility>

namespace limelight::detail {
namespace {

void expect_replace(const JsonField& step, std::string_view from, std::string_view to) {
  step["pattern"]["String"].expect(from);
  step["content"].expect(to);
}

void read_normalizer_step(const JsonField& step, SpaceMarkNormalizer& normalizer) {
  const std::string& type = step["type"].as_string();
  if (type == "Prepend") {
    if (normalizer.prepends) step["type"].refuse("one Prepend");
    step["prepend"].expect(kSpaceMarkText);
    normalizer.prepends = true;
  } else if (type == "Replace") {
    expect_replace(step, " ", kSpaceMarkText);
    normalizer.replaces = true;
  } else {
    step["type"].refuse("Prepend, Replace or a Sequence of these, as byte_fallback is true");
  }
}

// Before there was a prepend_scheme, add_prefix_space said whether.
TextPrefix read_prefix(const JsonField& field) {
  const auto scheme = field.find("prepend_scheme");
  const auto adds = field.find("add_prefix_space");
  const bool never = adds && !adds->as_bool();
  if (!scheme) return never ? TextPrefix::kNone : TextPrefix::kMissingSpace;
  const std::string& name = scheme->as_string();
  if (adds && never != (name == "never")) adds->refuse(never ? "true, by prepend_scheme" : "false, by prepend_scheme");
  if (name == "never") return TextPrefix::kNone;
  if (name == "always") return TextPrefix::kMissingSpace;
  if (name == "first") return TextPrefix::kMissingSpaceAtStart;
  scheme->refuse("\"always\", \"first\" or \"never\"");
}

}  // namespace

void read_character_bpe(const JsonField& model, MergeTable merges, TokenizerConfig& config) {
  if (model.flag("ignore_merges")) model["ignore_merges"].refuse("false, as byte_fallback is true");
  if (const auto byte = byte_without_piece(config.vocabulary))
    model["vocab"].refuse("a piece for each byte, also " + *byte);
  config.model = CharacterBpeConfig{std::move(merges)};
}

void read_space_marks(const JsonField& normalizer, TokenizerConfig& config) {
  SpaceMarkNormalizer read;
  if (normalizer["type"].as_string() == "Sequence") {
    normalizer["normalizers"].each([&](const JsonField& step) { read_normalizer_step(step, read); });
  } else {
    read_normalizer_step(normalizer, read);
  }
  config.normalizer = read;
}

void read_metaspace(const JsonField& pre_tokenizer, TokenizerConfig& config) {
  const JsonField type = pre_tokenizer["type"];
  if (type.as_string() != "Metaspace") type.refuse("Metaspace or none, as byte_fallback is true");
  pre_tokenizer["replacement"].expect(kSpaceMarkText);
  config.pretokenizer.marks_spaces = true;
  config.pretokenizer.prefix = read_prefix(pre_tokenizer);
  if (pre_tokenizer.flag("split", true)) config.pretokenizer.steps = {WordStep::kSpaceMarks};
}

void read_character_decoder(const JsonField& decoder, TokenizerConfig& config) {
  constexpr std::string_view kSteps[] = {"Replace", "ByteFallback", "Fuse", "Strip"};
  if (decoder["type"].as_string() != "Sequence") decoder["type"].refuse("Sequence, as byte_fallback is true");
  size_t count = 0;
  decoder["decoders"].each([&](const JsonField& step) {
    if (count == std::size(kSteps)) step.refuse("no step after Strip");
    step["type"].expect(kSteps[count++]);
    if (count == 1) expect_replace(step, kSpaceMarkText, " ");
    if (count < std::size(kSteps)) return;
    step["content"].expect(" ");
    step["start"].as_integer(1, 1);
    step["stop"].as_integer(0, 0);
    config.leading_space = LeadingSpace::kOfTheTextGoes;
  });
  if (count < 3) decoder["decoders"].refuse("Replace, ByteFallback, Fuse and, if need be, Strip");
}

}  // namespace limelight::detail
