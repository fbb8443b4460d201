// A whole model of cases.py: an encoder's pass over texts, a decoder's over a prompt, or over one token after it.
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/sides/work.h"
#include "limelight/decoder.h"
#include "limelight/model.h"

namespace limelight::bench {
namespace {

// The words of cases.py, in its order.
struct Case {
  std::string work;
  int64_t texts = 0, tokens = 0;
  int threads = 0;
  std::filesystem::path folder;
  std::vector<int32_t> ids;  // of all texts
};

Case read_case(std::istream& words) {
  Case c;
  std::string folder;
  words >> c.work >> c.texts >> c.tokens >> c.threads >> std::ws;
  if (!std::getline(words, folder)) throw std::invalid_argument("model: expected 5 words");
  c.folder = folder;
  c.ids.resize(static_cast<size_t>(c.texts * c.tokens));
  std::ifstream file(c.folder / "ids.bin", std::ios::binary);
  const auto bytes = static_cast<int64_t>(c.ids.size() * sizeof(int32_t));
  if (!file.read(reinterpret_cast<char*>(c.ids.data()), bytes)) {
    throw std::runtime_error("ids.bin: expected " + std::to_string(bytes) + " bytes");
  }
  return c;
}

class EncoderWork : public Work {
 public:
  explicit EncoderWork(const Case& c) : encoder_(Encoder::load(c.folder / "model")) {
    for (int64_t n = 0; n < c.texts; ++n) {
      batch_.add(std::span(c.ids).subspan(static_cast<size_t>(n * c.tokens), static_cast<size_t>(c.tokens)));
    }
    options_.run.threads = c.threads;
    warm_up();
  }

  void save(const std::filesystem::path& folder) const override {
    write_f32(folder / "hidden.bin", hidden_.data(), hidden_.count());
  }

 private:
  void call() override { hidden_ = encoder_.forward(batch_, options_); }

  Encoder encoder_;
  TokenBatch batch_;
  EncoderOptions options_;
  Tensor<float, 2> hidden_;
};

// The prompt, or with `one` the token that follows it.
class DecoderWork : public Work {
 public:
  explicit DecoderWork(const Case& c)
      : decoder_(Decoder::load(c.folder / "model.gguf")),
        cache_(decoder_.config(), c.tokens + 1),
        ids_(c.ids),
        one_(c.work == "generate") {
    options_.run.threads = c.threads;
    if (one_) {
      decoder_.forward_last(ids_, cache_, options_);
      start_ = c.tokens;
      ids_.resize(1);
    }
    warm_up();
  }

  void save(const std::filesystem::path&) const override {}  // nobody to compare with

 private:
  void call() override {
    cache_.truncate(start_);
    decoder_.forward_last(ids_, cache_, options_);
  }

  Decoder decoder_;
  DecoderCache cache_;
  std::vector<int32_t> ids_;
  bool one_;
  int64_t start_ = 0;
  DecoderOptions options_;
};

}  // namespace

std::unique_ptr<Work> model_work(std::istream& words) {
  const Case c = read_case(words);
  if (c.work == "encode") return std::make_unique<EncoderWork>(c);
  if (c.work == "prefill" || c.work == "generate") return std::make_unique<DecoderWork>(c);
  throw std::invalid_argument("model: no work " + c.work);
}

}  // namespace limelight::bench
