// The arguments that commands with a model share: which one, under which mask, and what becomes of a text too long for
// it.
#pragma once

#include <string>

#include "command_line.h"
#include "limelight/model.h"
#include "studio/light.h"
#include "studio/reading.h"

namespace limelight::cli {

class ModelArguments {
 public:
  void declare_model(Command& command);
  void declare_mask(Command& command);
  void declare_cut(Command& command);

  Encoder load() const;
  studio::Mask mask() const;
  studio::TooLong too_long() const;

 private:
  std::string model_ = "minilm";
  std::string mask_ = "model";
  bool cut_ = false;
};

}  // namespace limelight::cli
