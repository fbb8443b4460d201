// Two kinds of model, one way to look at them.
#include "reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/error.h"
#include "model/decoder_plan.h"
#include "model/encoder_config.h"
#include "model/json_field.h"
#include "unicode.h"

namespace limelight::studio {
namespace {

template <class Config>
ReaderFacts facts_of(const Config& config, const std::string& name, std::string output, int64_t output_width,
                     Causal own_mask) {
  return {.name = name.empty() ? config.name : name,
          .layers = config.layers,
          .heads = config.heads,
          .vocabulary = config.vocabulary,
          .positions = config.positions,
          .output = std::move(output),
          .output_width = output_width,
          .own_mask = own_mask};
}

ReaderFacts facts_of(const EncoderConfig& config, const std::string& name) {
  return facts_of(config, name, "hidden", config.hidden, Causal::kNone);
}

ReaderFacts facts_of(const DecoderConfig& config, const std::string& name) {
  return facts_of(config, name, "logits", config.vocabulary, Causal::kBottomRight);
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& found) {
  constexpr std::string_view kExpected = "a folder with config.json or one .gguf file in it, or a .gguf file";
  detail::fail_file(fmt::format("model {}: expected {}, found {}", path.native(), kExpected, found));
}

// A folder without a config may hold a model all the same: as its one .gguf file.
std::filesystem::path model_file(const std::filesystem::path& path) {
  std::error_code unreadable;
  if (!std::filesystem::exists(path, unreadable)) return path;
  if (!std::filesystem::is_directory(path, unreadable)) {
    if (GgufFile::recognises(path)) return path;
    refuse(path, path.extension() == ".safetensors" ? "a safetensors file; name its folder" : "another file");
  }
  if (std::filesystem::exists(path / "config.json", unreadable)) return path;
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(path, unreadable)) {
    if (GgufFile::recognises(entry.path())) found.push_back(entry.path());
  }
  if (found.size() != 1)
    refuse(path, found.empty() ? "neither in it" : fmt::format("{} .gguf files; name one", found.size()));
  return found.front();
}

// What holds no decoder may be an encoder, or something that nobody here reads.
void check_encoder(const std::filesystem::path& folder) {
  const detail::JsonFile config(folder / "config.json");
  const detail::JsonField type = config.root()["model_type"];
  if (detail::is_encoder_type(type.as_string())) return;
  type.refuse(std::string("an encoder, ") + detail::kEncoderTypes + ", or a decoder, " + detail::kDecoderTypes);
}

// Buffers that older files hold besides their weights, and what stands on top of the layers for other tasks.
bool is_expected_to_be_unused(std::string_view name) {
  constexpr std::string_view kBuffers[] = {".attn.bias", ".attn.masked_bias", "position_ids", "rotary_emb.inv_freq"};
  constexpr std::string_view kOnTop[] = {"pooler.", "cls.", "lm_head.", "vocab_", "classifier.", "qa_outputs."};
  return std::any_of(std::begin(kBuffers), std::end(kBuffers), [&](auto end) { return name.ends_with(end); }) ||
         std::any_of(std::begin(kOnTop), std::end(kOnTop), [&](auto part) {
           const size_t dot = name.find(part);
           return dot == 0 || (dot != name.npos && name[dot - 1] == '.');
         });
}

}  // namespace

EncoderReader::EncoderReader(Encoder model, const std::string& name)
    : Reader(facts_of(model.config(), name), model.unused_tensors()), model_(std::move(model)) {}

std::string unused_note(const Reader& reader) {
  std::vector<std::string> names = reader.unused_tensors();
  std::erase_if(names, is_expected_to_be_unused);
  if (names.empty()) return "";
  return fmt::format("{}: its files hold {} tensor{} that the model does without, as {}", reader.facts().name,
                     names.size(), names.size() == 1 ? "" : "s", legible(names.front()));
}

Tensor<float, 2> EncoderReader::read(std::span<const int32_t> ids, const ReadOptions& options) const {
  return model_.forward(ids, {.causal = options.causal, .observer = options.observer, .run = options.run});
}

DecoderReader::DecoderReader(Decoder model, const std::string& name)
    : Reader(facts_of(model.config(), name), model.unused_tensors()), model_(std::move(model)) {}

Tensor<float, 2> DecoderReader::read(std::span<const int32_t> ids, const ReadOptions& options) const {
  DecoderCache cache(model_.config(), static_cast<int64_t>(ids.size()));
  const DecoderOptions run{.causal = options.causal,
                           .observer = options.observer,
                           .projections = options.projections,
                           .layers = options.layers,
                           .run = options.run};
  return options.layers < 0 ? model_.forward(ids, cache, run) : model_.forward_last(ids, cache, run);
}

std::unique_ptr<Reader> load_reader(const std::filesystem::path& given, const std::string& name) {
  const std::filesystem::path path = model_file(given);
  if (GgufFile::recognises(path) || Decoder::recognises(path)) {
    return std::make_unique<DecoderReader>(Decoder::load(path), name);
  }
  check_encoder(path);
  return std::make_unique<EncoderReader>(Encoder::load(path), name);
}

ReaderFacts read_facts(const std::filesystem::path& given, const std::string& name) {
  const std::filesystem::path path = model_file(given);
  if (GgufFile::recognises(path)) return facts_of(detail::read_decoder_plan(GgufFile::open(path)).config, name);
  if (Decoder::recognises(path)) return facts_of(detail::read_decoder_plan(path).config, name);
  check_encoder(path);
  return facts_of(detail::read_encoder_plan(path).config, name);
}

}  // namespace limelight::studio
