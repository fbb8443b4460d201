// Names on the command line to the values the studio takes.
#include "model_arguments.h"

#include <fmt/format.h>

#include "core/error.h"
#include "models_folder.h"

namespace limelight::cli {
namespace {

template <class Kind>
std::unique_ptr<Kind> of_kind(std::unique_ptr<studio::Reader> model, const std::string& otherwise) {
  auto* kind = dynamic_cast<Kind*>(model.get());
  if (kind == nullptr) detail::fail_format(fmt::format("model {}: {}", model->facts().name, otherwise));
  model.release();
  return std::unique_ptr<Kind>(kind);
}

}  // namespace

void ModelArguments::declare_model(Command& command, const std::string& usual) {
  model_ = usual;
  command.text("--model", model_,
               fmt::format("A model's name (see: limelight models), its folder or .gguf file; {} unless given", usual),
               "MODEL");
}

void ModelArguments::declare_mask(Command& command) {
  command.choice("--mask", mask_, {"model", "causal", "none"},
                 "Run the whole model under this mask: its own, causal (no word sees a later one), or none");
}

void ModelArguments::declare_cut(Command& command) {
  command.flag("--cut", cut_, "Cut a text that is longer than the model takes, and say so");
}

std::unique_ptr<studio::Reader> ModelArguments::load() const {
  return load_model(model_);
}

std::unique_ptr<studio::EncoderReader> ModelArguments::load_encoder(const std::string& what) const {
  return of_kind<studio::EncoderReader>(load(), fmt::format("{} needs an encoder, as minilm; this is a decoder", what));
}

std::unique_ptr<studio::DecoderReader> ModelArguments::load_decoder(const std::string& what) const {
  return of_kind<studio::DecoderReader>(load(),
                                        fmt::format("{} needs a decoder, as smollm2; this is an encoder", what));
}

studio::Mask ModelArguments::mask() const {
  return studio::mask_of(mask_);
}

studio::TooLong ModelArguments::too_long() const {
  return cut_ ? studio::TooLong::kCut : studio::TooLong::kRefuse;
}

}  // namespace limelight::cli
