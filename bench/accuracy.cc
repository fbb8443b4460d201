// Errors of attention and its gradients against the reference in double, beside those of a naive float computation, in
// ulp of the largest value in the tensor's storage. With a folder, inputs and exact results are written there, so that
// others can be judged by them (tools/accuracy).
#include <cmath>
#include <cstdio>
#include <fstream>

#include "attention/reference_backward.h"
#include "bench/inputs.h"
#include "bench/table.h"
#include "limelight/backward.h"

using namespace limelight;
using bench::number;

namespace {

struct Case {
  std::string name;
  int64_t heads, tokens, head_size;
  Causal causal = Causal::kNone;
  float query_factor = 1;  // larger: few keys have nearly all of the weight
  float value_offset = 0;
};

Tensor<float, 4> drawn(const Case& c, uint32_t seed, float factor = 1, float offset = 0) {
  Tensor<float, 4> numbers = bench::random_tensor({1, c.heads, c.tokens, c.head_size}, seed);
  for (int64_t n = 0; n < numbers.count(); ++n) numbers.data()[n] = numbers.data()[n] * factor + offset;
  return numbers;
}

// The spacing of the storage's numbers just below x.
double ulp(double x, Storage storage) {
  const int digits = storage == Storage::kF32 ? 24 : storage == Storage::kF16 ? 11 : 8;
  return std::ldexp(1.0, std::ilogb(std::nextafter(x, 0.0)) + 1 - digits);
}

// One tensor of a result: what is exact, ours, and the naive one, all as they are stored.
template <int Rank>
struct Result {
  std::string name;
  Storage storage;
  const Tensor<double, Rank>& exact;
  const Tensor<float, Rank>& ours;
  const Tensor<float, Rank>& naive;
};

float stored(float x, Storage storage) {
  float bits = 0;
  store_float(x, &bits, storage);
  return load_float(&bits, storage);
}

struct Output {
  bench::Table& table;
  const Case& shape;
  Storage storage;

  template <class T, int Rank>
  void write(const std::string& name, const Tensor<T, Rank>& tensor) const {
    if (table.argument().empty()) return;
    const std::string path =
        table.argument() + "/" + shape.name + "." + std::string(storage_name(storage)) + "." + name;
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(tensor.data()), static_cast<std::streamsize>(tensor.count() * sizeof(T)));
    if (file.good()) return;
    std::fprintf(stderr, "%s: could not be written\n", path.c_str());
    std::exit(1);
  }

  template <int Rank>
  void add(const Result<Rank>& r) const {
    double largest = 0, ours = 0, naive = 0;
    for (int64_t n = 0; n < r.exact.count(); ++n) {
      const double exact = r.exact.data()[n];
      largest = std::max(largest, std::abs(exact));
      ours = std::max(ours, std::abs(r.ours.data()[n] - exact));
      naive = std::max(naive, std::abs(stored(r.naive.data()[n], r.storage) - exact));
    }
    const double unit = ulp(largest, r.storage);
    write(r.name + ".exact", r.exact);
    table.add({{"case", shape.name},
               {"storage", std::string(storage_name(storage))},
               {"tensor", r.name},
               {"heads", std::to_string(shape.heads)},
               {"tokens", std::to_string(shape.tokens)},
               {"head_size", std::to_string(shape.head_size)},
               {"causal", shape.causal == Causal::kNone ? "no" : "yes"},
               {"ulp", all_digits(unit)},
               {"ours", number(ours / unit, 2)},
               {"naive", number(naive / unit, 2)}});
  }

  // All digits: a Table keeps text.
  static std::string all_digits(double unit) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.17g", unit);
    return text;
  }
};

template <StoredFloat T>
void run(const Case& c, bench::Table& table) {
  const Storage storage = storage_of<T>();
  const Output output{table, c, storage};
  const auto q = bench::narrowed<T>(drawn(c, 1, c.query_factor)), k = bench::narrowed<T>(drawn(c, 2)),
             v = bench::narrowed<T>(drawn(c, 3, 1, c.value_offset)), dout = bench::narrowed<T>(drawn(c, 4));
  const AttentionOptions options{.causal = c.causal, .run = {.threads = 1}};
  const auto exact = detail::reference_attention<double>(q, k, v, options);
  const auto naive = detail::reference_attention<float>(q, k, v, options);
  const auto exact_gradients = detail::reference_backward<double>(q, k, v, options, dout);
  const auto naive_gradients = detail::reference_backward<float>(q, k, v, options, dout);
  Tensor<T, 4> out(q.sizes()), dq(q.sizes()), dk(q.sizes()), dv(q.sizes());
  Tensor<float, 3> lse({1, c.heads, c.tokens});
  attention(q, k, v, options, out, lse.view());
  attention_backward(q, k, v, options, out, lse, dout, {.dq = dq, .dk = dk, .dv = dv});
  for (const auto& [name, tensor] : {std::pair{"q", &q}, {"k", &k}, {"v", &v}, {"dout", &dout}}) {
    output.write(name, detail::widened<float>(*tensor));
  }
  const auto wide = [](const Tensor<T, 4>& tensor) { return detail::widened<float>(tensor); };
  output.add(Result<4>{"out", storage, exact.out, wide(out), naive.out});
  output.add(Result<3>{"lse", Storage::kF32, exact.lse, lse, naive.lse});
  output.add(Result<4>{"dq", storage, exact_gradients.dq, wide(dq), naive_gradients.dq});
  output.add(Result<4>{"dk", storage, exact_gradients.dk, wide(dk), naive_gradients.dk});
  output.add(Result<4>{"dv", storage, exact_gradients.dv, wide(dv), naive_gradients.dv});
  const AttentionResult kept = attention(q, k, v, options);  // out in f32, whatever the tensors are stored in
  attention_backward(q, k, v, options, kept.out, kept.lse, dout, {.dq = dq});
  output.add(Result<4>{"dq, out in f32", storage, exact_gradients.dq, wide(dq), naive_gradients.dq});
}

}  // namespace

int main(int argc, char** argv) {
  bench::Table table(argc, argv,
                     "Largest errors against the reference in double, in ulp of the largest value; inputs and exact\n"
                     "results are written to the folder.",
                     "[FOLDER]");
  for (const Case& c : {Case{"T128", 4, 128, 64},
                        {"T1024", 1, 1024, 64},
                        {"T1024-causal", 1, 1024, 64, Causal::kBottomRight},
                        {"T1024-D128", 1, 1024, 128},
                        {"T1024-peaked", 1, 1024, 64, Causal::kNone, 8},
                        {"T2048-offset", 1, 2048, 64, Causal::kNone, 1, 10}}) {
    if (!table.wants(c.name)) continue;
    run<float>(c, table);
    run<Float16>(c, table);
    run<BFloat16>(c, table);
  }
}
