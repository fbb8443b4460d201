// Names on the command line to the values the studio takes.
#include "model_arguments.h"

#include "models_folder.h"

namespace limelight::cli {

void ModelArguments::declare_model(Command& command) {
  command.text("--model", model_, "A model's name (see: limelight models) or its folder; minilm unless given");
}

void ModelArguments::declare_mask(Command& command) {
  command.choice("--mask", mask_, {"model", "causal", "none"},
                 "Run the whole model under this mask: its own, causal (no word sees a later one), or none");
}

void ModelArguments::declare_cut(Command& command) {
  command.flag("--cut", cut_, "Cut a text that is longer than the model takes, and say so");
}

Encoder ModelArguments::load() const {
  return load_model(model_);
}

studio::Mask ModelArguments::mask() const {
  if (mask_ == "causal") return studio::Mask::kCausal;
  return mask_ == "none" ? studio::Mask::kNone : studio::Mask::kModel;
}

studio::TooLong ModelArguments::too_long() const {
  return cut_ ? studio::TooLong::kCut : studio::TooLong::kRefuse;
}

}  // namespace limelight::cli
