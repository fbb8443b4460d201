// Laws of the files beside a model's weights: what a folder lacks, and what it has and cannot be used.
#include "model/model_tokenizer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "limelight/error.h"
#include "tests/model/small_llama.h"
#include "tests/model/thrown.h"
#include "tests/model/tiny_bert.h"
#include "tests/model/tiny_decoder.h"

namespace limelight::testing {
namespace {

// A name that is there, and leads nowhere but to itself.
void make_unreadable(const std::filesystem::path& path) {
  std::filesystem::remove(path);
  std::filesystem::create_symlink(path, path);
}

void expect_unreadable(const std::filesystem::path& path, const std::function<void()>& load) {
  make_unreadable(path);
  EXPECT_EQ(thrown<FileError>(load), path.string() + ": cannot read: Too many levels of symbolic links");
  std::filesystem::remove(path);
}

TEST(ModelFolder, AnUnreadableFileIsNoMissingOne) {
  const TinyBert bert;
  expect_unreadable(bert.path() / "tokenizer.json", [&] { bert.load(); });
  const TinyDecoder llama("llama");
  for (const char* file : {"tokenizer.json", "generation_config.json", "tokenizer_config.json", "chat_template.jinja",
                           "model.safetensors"}) {
    expect_unreadable(llama.path() / file, [&] { llama.load(); });
  }
  expect_unreadable(llama.config(), [&] { Decoder::recognises(llama.path()); });
}

TEST(ModelTokenizer, KnowsNoMorePiecesThanItsModel) {
  const TinyBert bert;
  const TinyDecoder llama("llama");
  const auto refusal = [](const TinyCheckpoint& model, const std::function<void()>& load) {
    const auto path = model.path() / "tokenizer.json";
    write_text(path, SmallLlama().json().dump());
    EXPECT_EQ(thrown<FormatError>(load), path.string() + ": expected at most the model's 96 pieces, found 264");
  };
  refusal(bert, [&] { bert.load(); });
  refusal(llama, [&] { llama.load(); });
}

TEST(ModelTokenizer, MayKnowFewerPiecesThanItsModel) {
  const TinyBert bert;
  const auto path = bert.path() / "tokenizer.json";
  write_text(path, SmallLlama().json().dump());
  EXPECT_EQ(detail::find_tokenizer(bert.path(), 264)->vocabulary_size(), 264);
  EXPECT_EQ(detail::find_tokenizer(bert.path(), 1000)->vocabulary_size(), 264);
  EXPECT_THROW(detail::find_tokenizer(bert.path(), 263), FormatError);
  std::filesystem::remove(path);
  EXPECT_EQ(detail::find_tokenizer(bert.path(), 1000), std::nullopt);
}

}  // namespace
}  // namespace limelight::testing
