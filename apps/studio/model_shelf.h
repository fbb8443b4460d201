// The models that may be asked for, by name: those that are here, loaded when first wanted, a bounded number at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "remembering_reader.h"

namespace limelight::studio {

struct ShelfModel {
  std::string name;
  std::string kind;     // "BERT encoder"
  std::string command;  // that brings it
  bool writes = false;  // goes on with a text
  std::function<bool()> present;
  std::function<std::unique_ptr<Reader>()> load;
  std::function<ReaderFacts()> facts;  // without loading it

  struct Known {
    std::optional<ReaderFacts> facts{};  // nothing where it is not here, or is damaged
    std::string damage{};                // empty where there is none
  };
  Known known() const;
};

class ModelShelf {
 public:
  static constexpr size_t kMostLoaded = 3;

  // `usual` is taken where no name is given; empty: the first that is here and whole, else the first that is here. No
  // model takes more than `most_tokens`.
  ModelShelf(std::vector<ShelfModel> models, std::string usual, int64_t most_tokens);

  const std::vector<ShelfModel>& models() const { return models_; }

  // The name of the model taken where none is given; nothing where none is here.
  std::optional<std::string> usual() const;

  // Throws std::invalid_argument for a name that is not on the shelf, and FileError, saying the command that brings it,
  // for one that is not here.
  std::shared_ptr<const RememberingReader> get(const std::string& name);

 private:
  const ShelfModel& find(const std::string& name) const;

  const std::vector<ShelfModel> models_;
  const std::string usual_;
  const int64_t most_tokens_;
  std::mutex mutex_;
  std::list<std::pair<std::string, std::shared_ptr<const RememberingReader>>> loaded_;  // last asked for in front
};

}  // namespace limelight::studio
