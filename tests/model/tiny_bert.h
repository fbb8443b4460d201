// The golden tiny BERT, to be changed and run.
#pragma once

#include "limelight/model.h"
#include "tests/model/tiny_checkpoint.h"

namespace limelight::testing {

class TinyBert : public TinyCheckpoint {
 public:
  TinyBert() : TinyCheckpoint("bert") {}
  Encoder load() const { return Encoder::load(path()); }
};

}  // namespace limelight::testing
