// A model's tokenizer, looked for and checked against its vocabulary.
#include "model/model_tokenizer.h"

#include <string>

#include "core/error.h"
#include "model/mapped_file.h"

namespace limelight::detail {

void check_vocabulary(const Tokenizer& tokenizer, int64_t vocabulary, const std::filesystem::path& file) {
  if (tokenizer.vocabulary_size() <= vocabulary) return;
  fail_format(file.string() + ": expected at most the model's " + std::to_string(vocabulary) + " pieces, found " +
              std::to_string(tokenizer.vocabulary_size()));
}

std::optional<Tokenizer> find_tokenizer(const std::filesystem::path& folder, int64_t vocabulary) {
  const auto file = folder / "tokenizer.json";
  if (!is_there(file)) return std::nullopt;
  std::optional<Tokenizer> tokenizer = Tokenizer::load(file);
  check_vocabulary(*tokenizer, vocabulary, file);
  return tokenizer;
}

}  // namespace limelight::detail
