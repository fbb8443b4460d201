// config.json of the BERT family: what the encoder is made of, every field checked against what is built here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "limelight/model.h"
#include "limelight/nn.h"

namespace limelight::detail {

struct EncoderPlan {
  EncoderConfig config;
  int64_t token_types = 0;                           // 0: the model has none
  std::optional<int32_t> padding_id = std::nullopt;  // has its own position, and is not counted
  Gelu activation = Gelu::kErf;

  // Of a text, in the table of positions: rows up to that of the padding token are no text's.
  int64_t first_position() const { return padding_id ? *padding_id + 1 : 0; }
};

inline constexpr const char* kEncoderTypes = "\"bert\", \"distilbert\" or \"roberta\"";
bool is_encoder_type(std::string_view model_type);  // one of these

// Reads folder/config.json. Throws FileError, or FormatError naming file and field.
EncoderPlan read_encoder_plan(const std::filesystem::path& folder);

}  // namespace limelight::detail
