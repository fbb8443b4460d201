// A model that reads a text and lets its attention be watched: encoder or decoder, behind one seam.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "limelight/decoder.h"
#include "limelight/model.h"

namespace limelight::studio {

struct ReaderFacts {
  std::string name;
  int64_t layers = 0, heads = 0, vocabulary = 0;
  int64_t positions = 0;     // tokens it takes
  std::string output;        // what the last layer gives for every token: "hidden" or "logits"
  int64_t output_width = 0;  // numbers in it
  Causal own_mask = Causal::kNone;
};

struct ReadOptions {
  std::optional<Causal> causal = std::nullopt;  // not the model's own mask
  AttentionObserver observer = nullptr;         // a layer may come in several calls, its rows ascending
  ProjectionObserver projections = nullptr;     // of models that rotate q and k by their place: as they were before
  int64_t layers = -1;                          // no more than these are looked at, and the output is not wanted
  std::optional<int64_t> only = std::nullopt;   // the one layer that the observer looks at
  Run run = {};
};

class Reader {
 public:
  virtual ~Reader() = default;
  virtual const Tokenizer& tokenizer() const = 0;
  // The output, [T, output_width]; of unspecified size where `layers` is given.
  virtual Tensor<float, 2> read(std::span<const int32_t> ids, const ReadOptions& options) const = 0;

  const ReaderFacts& facts() const { return facts_; }
  const std::vector<std::string>& unused_tensors() const { return unused_tensors_; }  // of the model's files

 protected:
  explicit Reader(ReaderFacts facts, std::vector<std::string> unused_tensors = {})
      : facts_(std::move(facts)), unused_tensors_(std::move(unused_tensors)) {}

 private:
  ReaderFacts facts_;
  std::vector<std::string> unused_tensors_;
};

class EncoderReader : public Reader {
 public:
  // `name` stands for the model's own unless it is empty; so below.
  EncoderReader(Encoder model, const std::string& name);
  const Encoder& model() const { return model_; }
  const Tokenizer& tokenizer() const override { return model_.tokenizer(); }
  Tensor<float, 2> read(std::span<const int32_t> ids, const ReadOptions& options) const override;

 private:
  Encoder model_;
};

class DecoderReader : public Reader {
 public:
  DecoderReader(Decoder model, const std::string& name);
  const Decoder& model() const { return model_; }
  const Tokenizer& tokenizer() const override { return model_.tokenizer(); }
  Tensor<float, 2> read(std::span<const int32_t> ids, const ReadOptions& options) const override;

 private:
  Decoder model_;
};

// A line for whoever expects all weights to count: which tensors of the files do not, but for known buffers and the
// heads of other tasks. "" where there is none.
std::string unused_note(const Reader& reader);

// What is at `given`: a Hugging Face folder, a GGUF file, or a folder whose only model is one. Throws FileError or
// FormatError naming file and field.
std::unique_ptr<Reader> load_reader(const std::filesystem::path& given, const std::string& name);

// The same facts, from its config or metadata alone.
ReaderFacts read_facts(const std::filesystem::path& given, const std::string& name);

}  // namespace limelight::studio
