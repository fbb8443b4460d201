// Limelight's side of bench/peers: one process that answers the lines of side.py on standard input, and two more,
// "peak THREADS" and "bandwidth THREADS" with what the processor can do right now.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "limelight/attention.h"
#include "limelight/backward.h"
#include "limelight/runtime.h"
#include "limelight/storage.h"

using namespace limelight;

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

void write_f32(const std::filesystem::path& path, const FloatOutput& view) {
  std::vector<float> wide(static_cast<size_t>(view.count()));
  const auto* from = static_cast<const std::byte*>(view.data);
  for (size_t i = 0; i < wide.size(); ++i) {
    wide[i] = load_float(from + i * static_cast<size_t>(storage_bytes(view.storage)), view.storage);
  }
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(wide.data()), static_cast<int64_t>(wide.size() * sizeof(float)));
  if (!file.flush()) throw std::runtime_error(path.string() + ": cannot be written");
}

// A case that is set up: inputs (several copies of keys and values where caches must not hold them), results, the call.
class Work {
 public:
  explicit Work(const Case& c)
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
    seconds_of(1);
    once_ = seconds_of(1);
  }

  double seconds_of(int64_t repeats) {
    const auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < repeats; ++i) call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
           static_cast<double>(repeats);
  }

  // As side.py does it.
  double time(double seconds) {
    const auto repeats = std::max(int64_t{1}, static_cast<int64_t>(seconds / once_));
    if (repeats > 1) call();  // wakes the threads
    return once_ = seconds_of(repeats);
  }

  void save(const std::filesystem::path& folder) const {
    write_f32(folder / "out.bin", out_.view);
    if (!training_) return;
    write_f32(folder / "dq.bin", dq_->view);
    write_f32(folder / "dk.bin", dk_->view);
    write_f32(folder / "dv.bin", dv_->view);
  }

 private:
  void call() {
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
  double once_ = 0;
};

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

std::string answer(const std::string& line, std::optional<Work>& work) {
  std::istringstream words(line);
  std::string command, folder;
  double number = 0;
  words >> command;
  if (command == "hello") return version() + " (" + active_isa() + ")";
  if (command == "case") {
    work.reset();  // frees the one before
    work.emplace(read_case(words));
    return "";
  }
  if (command == "peak" && words >> number) return text_of(measure_peak_flops(static_cast<int>(number)));
  if (command == "bandwidth" && words >> number) return text_of(measure_read_bandwidth(static_cast<int>(number)));
  if (work && command == "time" && words >> number) return text_of(work->time(number));
  if (work && command == "save" && std::getline(words >> std::ws, folder)) {
    work->save(folder);
    return "";
  }
  throw std::invalid_argument("not understood: " + line);
}

}  // namespace

int main() {
  std::optional<Work> work;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      const std::string found = answer(line, work);
      std::cout << "ok " << found << std::endl;
    } catch (const std::exception& error) {
      std::cout << "no " << error.what() << std::endl;
    }
  }
}
