// One attention call of cases.py: its inputs, results and options.
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/sides/work.h"
#include "limelight/attention.h"
#include "limelight/backward.h"
#include "limelight/storage.h"

namespace limelight::bench {
namespace {

// The words of cases.py, in its order.
struct Case {
  std::string work, storage, causal;
  int64_t heads = 0, groups = 0, queries = 0, keys = 0, depth = 0, copies = 0;
  int threads = 0;
  std::filesystem::path folder;
};

Case read_case(std::istream& words) {
  Case c;
  words >> c.work >> c.storage >> c.causal >> c.heads >> c.groups >> c.queries >> c.keys >> c.depth >> c.copies >>
      c.threads >> std::ws;
  std::string folder;
  if (!std::getline(words, folder)) throw std::invalid_argument("case: expected 11 words");
  c.folder = folder;
  return c;
}

Storage storage_named(const std::string& name) {
  for (const Storage storage : {Storage::kF32, Storage::kF16, Storage::kBf16}) {
    if (name == storage_name(storage)) return storage;
  }
  throw std::invalid_argument("case: no storage " + name);
}

// Memory of any storage.
struct Stored {
  std::unique_ptr<void, AlignedFree> memory;
  FloatOutput view;

  Stored(Storage storage, const std::array<int64_t, 4>& sizes) : view(nullptr, storage, sizes, row_major(sizes)) {
    memory = allocate_aligned(static_cast<size_t>(view.count() * storage_bytes(storage)));
    view.data = memory.get();
  }
};

Stored read_stored(const Case& c, const char* name, int64_t heads, int64_t rows) {
  Stored stored(storage_named(c.storage), {1, heads, rows, c.depth});
  std::ifstream file(c.folder / (std::string(name) + ".bin"), std::ios::binary);
  const int64_t bytes = stored.view.count() * storage_bytes(stored.view.storage);
  if (!file.read(static_cast<char*>(stored.memory.get()), bytes)) {
    throw std::runtime_error(std::string(name) + ".bin: expected " + std::to_string(bytes) + " bytes");
  }
  return stored;
}

void write(const std::filesystem::path& path, const FloatOutput& view) {
  std::vector<float> wide(static_cast<size_t>(view.count()));
  const auto* from = static_cast<const std::byte*>(view.data);
  for (size_t i = 0; i < wide.size(); ++i) {
    wide[i] = load_float(from + i * static_cast<size_t>(storage_bytes(view.storage)), view.storage);
  }
  write_f32(path, wide.data(), view.count());
}

// A case that is set up: inputs (several copies of keys and values where caches must not hold them), results, the call.
class AttentionWork : public Work {
 public:
  explicit AttentionWork(const Case& c)
      : q_(read_stored(c, "q", c.heads, c.queries)),
        out_(q_.view.storage, q_.view.sizes),
        lse_({1, c.heads, c.queries}),
        training_(c.work == "training") {
    for (int64_t i = 0; i < c.copies; ++i) {
      k_.push_back(read_stored(c, "k", c.groups, c.keys));
      v_.push_back(read_stored(c, "v", c.groups, c.keys));
    }
    if (training_) {
      dout_.emplace(read_stored(c, "dout", c.heads, c.queries));
      dq_.emplace(q_.view.storage, q_.view.sizes);
      dk_.emplace(q_.view.storage, k_[0].view.sizes);
      dv_.emplace(q_.view.storage, v_[0].view.sizes);
    }
    options_.causal = c.causal == "causal" ? Causal::kBottomRight : Causal::kNone;
    options_.run.threads = c.threads;
    warm_up();
  }

  void save(const std::filesystem::path& folder) const override {
    write(folder / "out.bin", out_.view);
    if (!training_) return;
    write(folder / "dq.bin", dq_->view);
    write(folder / "dk.bin", dk_->view);
    write(folder / "dv.bin", dv_->view);
  }

 private:
  void call() override {
    const FloatView k = k_[next_].view, v = v_[next_].view;
    next_ = (next_ + 1) % k_.size();
    if (!training_) return attention(q_.view, k, v, options_, out_.view);
    attention(q_.view, k, v, options_, out_.view, lse_.view());
    attention_backward(q_.view, k, v, options_, out_.view, lse_, dout_->view,
                       {.dq = dq_->view, .dk = dk_->view, .dv = dv_->view});
  }

  Stored q_, out_;
  Tensor<float, 3> lse_;
  std::vector<Stored> k_, v_;
  std::optional<Stored> dout_, dq_, dk_, dv_;
  AttentionOptions options_;
  bool training_ = false;
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Work> attention_work(std::istream& words) {
  return std::make_unique<AttentionWork>(read_case(words));
}

}  // namespace limelight::bench
