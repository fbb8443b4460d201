// The arguments that commands with a model share: which one, under which mask, and what becomes of a text too long for
// it.
#pragma once

#include <memory>
#include <string>

#include "command_line.h"
#include "studio/light.h"
#include "studio/reader.h"
#include "studio/reading.h"

namespace limelight::cli {

class ModelArguments {
 public:
  // `usual` is taken unless another is given.
  void declare_model(Command& command, const std::string& usual = "minilm");
  void declare_mask(Command& command);
  void declare_cut(Command& command);

  std::unique_ptr<studio::Reader> load() const;
  // The same of one kind; throws FormatError, saying that `what` needs it, where the model is of the other.
  std::unique_ptr<studio::EncoderReader> load_encoder(const std::string& what) const;
  std::unique_ptr<studio::DecoderReader> load_decoder(const std::string& what) const;
  studio::Mask mask() const;
  studio::TooLong too_long() const;

 private:
  std::string model_;
  std::string mask_ = "model";
  bool cut_ = false;
};

}  // namespace limelight::cli
