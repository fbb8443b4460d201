// One model loads at a time; whoever wants it meanwhile waits and finds it there.
#include "model_shelf.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>

#include "core/error.h"

namespace limelight::studio {

ShelfModel::Known ShelfModel::known() const {
  if (!present()) return {};
  try {
    return {.facts = facts()};
  } catch (const std::exception& damage) {
    return {.damage = damage.what()};
  }
}

ModelShelf::ModelShelf(std::vector<ShelfModel> models, std::string usual, int64_t most_tokens)
    : models_(std::move(models)), usual_(std::move(usual)), most_tokens_(most_tokens) {}

std::optional<std::string> ModelShelf::usual() const {
  if (!usual_.empty()) return usual_;
  std::optional<std::string> damaged;
  for (const ShelfModel& model : models_) {
    const ShelfModel::Known known = model.known();
    if (known.facts) return model.name;
    if (!known.damage.empty() && !damaged) damaged = model.name;
  }
  return damaged;
}

std::shared_ptr<const RememberingReader> ModelShelf::get(const std::string& name) {
  const ShelfModel& model = find(name);
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(loaded_.begin(), loaded_.end(), [&](const auto& entry) { return entry.first == name; });
  if (found != loaded_.end()) {
    loaded_.splice(loaded_.begin(), loaded_, found);
  } else {
    if (!model.present()) {
      detail::fail_file(fmt::format("model: {} is not here; bring it with: {}", name, model.command));
    }
    loaded_.emplace_front(name, std::make_shared<const RememberingReader>(model.load(), most_tokens_));
    if (loaded_.size() > kMostLoaded) loaded_.pop_back();
  }
  return loaded_.front().second;
}

const ShelfModel& ModelShelf::find(const std::string& name) const {
  const auto found = std::find_if(models_.begin(), models_.end(), [&](const ShelfModel& m) { return m.name == name; });
  if (found != models_.end()) return *found;
  std::vector<std::string> names;
  for (const ShelfModel& model : models_) names.push_back(model.name);
  detail::fail_argument(fmt::format("model: expected one of {}, found {}", fmt::join(names, ", "), name));
}

}  // namespace limelight::studio
