// One list of names for each enum; corners are also taken with a hyphen.
#include "attention_arguments.h"

#include <algorithm>
#include <array>

namespace limelight::cli {
namespace {

constexpr std::array<Causal, 3> kCorners = {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight};
constexpr std::array<Storage, 3> kStorages = {Storage::kF32, Storage::kF16, Storage::kBf16};

std::string hyphenated(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

}  // namespace

std::string_view causal_name(Causal causal) {
  switch (causal) {
    case Causal::kTopLeft:
      return "top_left";
    case Causal::kBottomRight:
      return "bottom_right";
    default:
      return "none";
  }
}

void AttentionArguments::declare(Command& command, const std::string& causal_help, const std::string& dtype_help) {
  std::vector<std::string> corners, storages;
  for (const Causal corner : kCorners) corners.push_back(hyphenated(std::string(causal_name(corner))));
  for (const Causal corner : {Causal::kTopLeft, Causal::kBottomRight}) corners.emplace_back(causal_name(corner));
  for (const Storage storage : kStorages) storages.emplace_back(storage_name(storage));
  command.choice("--causal", causal_, corners, causal_help).choice("--dtype", dtype_, storages, dtype_help);
}

std::optional<Causal> AttentionArguments::causal() const {
  for (const Causal corner : kCorners) {
    if (hyphenated(std::string(causal_name(corner))) == hyphenated(causal_)) return corner;
  }
  return std::nullopt;
}

std::optional<Storage> AttentionArguments::dtype() const {
  for (const Storage storage : kStorages) {
    if (storage_name(storage) == dtype_) return storage;
  }
  return std::nullopt;
}

}  // namespace limelight::cli
