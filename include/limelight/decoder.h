// Decoders: GPT-2 and the Llama family (Llama, SmolLM2, Qwen2, Mistral), from a Hugging Face folder or a GGUF file.
// Every layer's attention is open to an observer, in prefill and at every generated token.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "limelight/model.h"

namespace limelight {

struct DecoderConfig {
  std::string name;          // of the folder or file
  std::string architecture;  // "gpt2", "llama", "qwen2", "mistral"
  int64_t layers = 0, heads = 0, groups = 0, head_size = 0, hidden = 0, intermediate = 0, vocabulary = 0;
  int64_t positions = 0;  // the longest context
  int64_t window = -1;    // tokens a query sees at most, itself among them, in layers that have a window; -1: all
  float norm_epsilon = 0;
};

namespace detail {
class PageMemory;
struct CachedSequence;
}  // namespace detail

// Memory for the keys and values of several sequences, f32, in pages of as many tokens: layers x 2 x groups x pages x
// page_tokens x head_size floats. Move-only; the caches made of it keep the memory. Safe from several threads at once.
class DecoderPages {
 public:
  // Throws std::invalid_argument for less than a page or a token, std::bad_alloc for more than the memory holds.
  DecoderPages(const DecoderConfig& config, int64_t pages, int64_t page_tokens = 64);
  DecoderPages(DecoderPages&&) noexcept = default;
  DecoderPages& operator=(DecoderPages&&) noexcept = default;

  int64_t pages() const;
  int64_t page_tokens() const;
  int64_t free_pages() const;  // that no cache has

 private:
  friend class DecoderCache;
  std::shared_ptr<detail::PageMemory> memory_;
};

// The keys and values of one sequence. Move-only. Not shared by two calls at once.
class DecoderCache {
 public:
  // Memory of its own, one page for up to `capacity` tokens. Throws std::invalid_argument beyond config.positions.
  DecoderCache(const DecoderConfig& config, int64_t capacity);
  // Takes pages as tokens come, as long as there are, for up to config.positions tokens; gives them back when it is
  // truncated or gone.
  explicit DecoderCache(const DecoderPages& pages);
  DecoderCache(DecoderCache&&) noexcept;
  DecoderCache& operator=(DecoderCache&&) noexcept;
  ~DecoderCache();

  int64_t length() const;  // tokens it holds
  int64_t capacity() const;
  void truncate(int64_t length);  // forgets what comes after

 private:
  friend class Decoder;
  std::unique_ptr<detail::CachedSequence> sequence_;
};

// New tokens of one sequence, and the cache they are added to.
struct DecoderInput {
  std::span<const int32_t> ids;
  DecoderCache& cache;
};

// q [1,H,M,D] and k [1,G,M,D] of the new tokens, of all sequences of the call, before the rotation of positions,
// channels as the observer has them. Views live during the call only.
struct LayerProjection {
  int64_t layer = 0;
  TensorView<const float, 4> q, k;
};
using ProjectionObserver = std::function<void(const LayerProjection&)>;

struct DecoderOptions {
  std::optional<Causal> causal = std::nullopt;  // kNone: every token sees all (for the lens; only with empty caches)
  // Once a layer and call: q [1,H,M,D] of the new tokens, k [1,G,N,D] of all so far, both after the rotation of
  // positions (channel c turns with c + D/2, whatever the file's order). In memory of several pages k and v are
  // [pages,G,page_tokens,D], and options.cu_q, key_lengths and block_table tell where each sequence stands.
  AttentionObserver observer = nullptr;
  // Called before it, of models that rotate: not GPT-2.
  ProjectionObserver projections = nullptr;
  // Run only the first so many, at least 1; -1: all. With fewer than all there are no logits, [0, vocabulary], and the
  // cache takes no more layers than that until it is truncated to 0.
  int64_t layers = -1;
  Run run = {};  // progress counts over the whole pass
};

// Immutable after load; safe from several threads at once with caches of their own. Weights stay in the precision they
// are stored in; activations and arithmetic are f32. Same bits for any number of threads, any cut of the tokens into
// calls, any pages and whatever other sequences are in the call: token by token equals one full pass.
class Decoder {
 public:
  // A folder (config.json, tokenizer.json, model.safetensors or model.safetensors.index.json) or a .gguf file.
  // Throws FileError or FormatError naming file and field; what is not supported is refused by name.
  static Decoder load(const std::filesystem::path& path, const Run& run = {});
  // Whether `path` is something load() would take, from its config or metadata alone; throws where these are there and
  // cannot be read.
  static bool recognises(const std::filesystem::path& path);
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;
  ~Decoder();

  const DecoderConfig& config() const;
  const Tokenizer& tokenizer() const;                // throws FormatError when there is none
  const std::vector<int32_t>& end_ids() const;       // that end a text
  std::optional<std::string> chat_template() const;  // as the model's metadata has it
  const std::vector<std::string>& unused_tensors() const;

  // Adds ids [T] to the cache and returns the logits of each of them, [T, vocabulary], or of the last alone,
  // [1, vocabulary]. Throws std::invalid_argument, with the cache as it was, for ids that the model does not know and
  // for more than the cache can hold or pages are free for; FormatError for logits that are not finite. Takes
  // T (2 C + (2 H + 2 G + 1) D) floats, 2 I more for up to 512 of the rows, and what attention() takes.
  Tensor<float, 2> forward(std::span<const int32_t> ids, DecoderCache& cache, const DecoderOptions& options = {}) const;
  Tensor<float, 2> forward_last(std::span<const int32_t> ids, DecoderCache& cache,
                                const DecoderOptions& options = {}) const;
  // The same for several sequences at once, T the sum over all: logits one sequence after the other, or of the last
  // token of each. Any number of new tokens behind any number of old ones, nothing is padded; each has the bits it has
  // alone. More than one need caches of one DecoderPages, each its own. All are added or, with an error, none.
  Tensor<float, 2> forward(std::span<const DecoderInput> sequences, const DecoderOptions& options = {}) const;
  Tensor<float, 2> forward_last(std::span<const DecoderInput> sequences, const DecoderOptions& options = {}) const;

 private:
  struct State;
  explicit Decoder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace limelight
