// Takes each tensor by its name, checks it, and packs it; pages of the file leave memory as they have been read.
#include "model/decoder_weights.h"

#include <span>

#include "core/checks.h"
#include "core/error.h"
#include "core/steps.h"
#include "model/decoder_names.h"

namespace limelight::detail {

int64_t Projection::out() const {
  int64_t sum = 0;
  for (const StoredMatrix& matrix : matrices) sum += matrix.out();
  return sum;
}

void Projection::apply(TensorView<const float, 2> x, TensorView<float, 2> y, const Run& run) const {
  Steps steps(run, static_cast<int64_t>(matrices.size()));
  int64_t column = 0;
  for (const StoredMatrix& matrix : matrices) {
    multiply(matrix, x, bias.count() > 0 ? bias.data() + column : nullptr,
             {y.data + column, {y.sizes[0], matrix.out()}, y.strides}, steps.next());
    column += matrix.out();
  }
}

namespace {

class Reader {
 public:
  Reader(ModelTensors& tensors, const DecoderPlan& plan)
      : tensors_(tensors), plan_(plan), names_(decoder_names(tensors, plan)) {}

  DecoderWeights read(const Run& run) {
    const DecoderConfig& config = plan_.config;
    Steps steps(run, config.layers + (plan_.tied ? 1 : 2));
    DecoderWeights weights;
    weights.pieces = table(names_.pieces, config.vocabulary, steps.next());
    if (plan_.frequencies.empty()) weights.positions = table(names_.positions, config.positions, {run.threads});
    for (int64_t index = 0; index < config.layers; ++index) weights.layers.push_back(layer(index, steps.next()));
    weights.final_norm = norm(names_.final_norm);
    if (!plan_.tied) weights.head = table(names_.head, config.vocabulary, steps.next());
    weights.frequencies = frequencies();
    weights.unused = tensors_.unused();
    return weights;
  }

 private:
  // Linear layers that share an input and, in the file, a name for each: their outputs.
  struct Part {
    std::string name;
    int64_t out;
    bool paired = false;
  };

  DecoderWeights::Layer layer(int64_t index, const Run& run) {
    const DecoderConfig& config = plan_.config;
    const int64_t queries = config.heads * config.head_size, keys = config.groups * config.head_size;
    const std::string root = names_.layers + std::to_string(index) + ".";
    const auto part = [&](const std::string& name, int64_t out, bool paired = false) {
      return Part{root + name, out, paired};
    };
    std::vector<Part> inputs, up;
    if (const auto& names = names_.query_key_value; names.size() == 1) {
      inputs = {part(names[0], queries + 2 * keys)};
    } else {
      inputs = {part(names[0], queries, names_.paired), part(names[1], keys, names_.paired), part(names[2], keys)};
    }
    for (const std::string& name : names_.up) up.push_back(part(name, config.intermediate));
    Steps steps(run, 4);
    DecoderWeights::Layer layer;
    layer.attention_norm = norm(root + names_.attention_norm);
    layer.query_key_value = projection(inputs, config.hidden, plan_.query_key_value_bias, steps.next());
    layer.attention_output =
        projection({part(names_.attention_output, config.hidden)}, queries, plan_.attention_output_bias, steps.next());
    layer.feed_forward_norm = norm(root + names_.feed_forward_norm);
    layer.up = projection(up, config.hidden, plan_.feed_forward_bias, steps.next());
    layer.down =
        projection({part(names_.down, config.hidden)}, config.intermediate, plan_.feed_forward_bias, steps.next());
    return layer;
  }

  Tensor<float, 1> floats(const std::string& name, int64_t count) {
    return tensors_.take_floats<1>(name, {count}, plan_.source);
  }

  DecoderWeights::Norm norm(const std::string& name) {
    DecoderWeights::Norm norm{floats(name + ".weight", plan_.config.hidden), {}};
    if (!plan_.gated) norm.beta = floats(name + ".bias", plan_.config.hidden);
    return norm;
  }

  StoredMatrix table(const std::string& name, int64_t rows, const Run& run) {
    const int64_t in = plan_.config.hidden;
    const ModelTensor& tensor = tensors_.take(name + ".weight", {rows, in}, plan_.source);
    const StoredRows part{tensor.bytes.data(), rows};
    const auto refuse = [&](int64_t n, int64_t k, float found) { fail_not_finite(tensor.field, found, n * in + k); };
    StoredMatrix matrix({&part, 1}, in, *tensor.type, refuse, run);
    tensors_.release(name + ".weight");
    return matrix;
  }

  // Row r of a head, or element r of a bias, where the file has it.
  int64_t source_row(const Part& part, int64_t r) const {
    if (!part.paired) return r;
    const int64_t depth = plan_.config.head_size, c = r % depth;
    return r - c + 2 * (c % (depth / 2)) + c / (depth / 2);
  }

  void add_rows(const Part& part, const ModelTensor& tensor, int64_t in, std::vector<StoredRows>& rows) const {
    const WeightBlock block = weight_block(*tensor.type);
    if (names_.in_out) {
      rows.push_back({tensor.bytes.data(), part.out, block.bytes, part.out * block.bytes});
      return;
    }
    if (!part.paired) {
      rows.push_back({tensor.bytes.data(), part.out});
      return;
    }
    const int64_t row_bytes = in / block.weights * block.bytes;
    for (int64_t r = 0; r < part.out; ++r) {
      rows.push_back({tensor.bytes.data() + source_row(part, r) * row_bytes, 1});
    }
  }

  // Weight k of row n of the parts from `first` on, by the tensor and the place it has in the file.
  void refuse_weight(const std::vector<Part>& parts, size_t first, int64_t in, int64_t n, int64_t k,
                     float found) const {
    for (; n >= parts[first].out; ++first) n -= parts[first].out;
    const Part& part = parts[first];
    const int64_t place = names_.in_out ? k * part.out + n : source_row(part, n) * in + k;
    fail_not_finite(tensors_.field(part.name + ".weight"), found, place);
  }

  Projection projection(const std::vector<Part>& parts, int64_t in, bool with_bias, const Run& run) {
    Steps steps(run, static_cast<int64_t>(parts.size()));
    Projection projection;
    for (size_t begin = 0, end = 0; begin < parts.size(); begin = end) {
      std::vector<StoredRows> rows;
      std::optional<WeightType> type;
      for (; end < parts.size(); ++end) {
        const Part& part = parts[end];
        const std::vector<int64_t> shape = names_.in_out ? std::vector{in, part.out} : std::vector{part.out, in};
        const ModelTensor& tensor = tensors_.take(part.name + ".weight", shape, plan_.source);
        if (type && type != tensor.type) break;
        type = tensor.type;
        add_rows(part, tensor, in, rows);
      }
      const auto refuse = [&, begin](int64_t n, int64_t k, float found) {
        refuse_weight(parts, begin, in, n, k, found);
      };
      projection.matrices.emplace_back(rows, in, *type, refuse, steps.next());
      for (size_t n = begin; n < end; ++n) tensors_.release(parts[n].name + ".weight");
    }
    if (with_bias) projection.bias = bias(parts, projection.out());
    return projection;
  }

  Tensor<float, 1> bias(const std::vector<Part>& parts, int64_t count) {
    Tensor<float, 1> whole({count});
    float* to = whole.data();
    for (const Part& part : parts) {
      const Tensor<float, 1> values = floats(part.name + ".bias", part.out);
      for (int64_t r = 0; r < part.out; ++r) *to++ = values(source_row(part, r));
    }
    return whole;
  }

  // GGUF files give Llama 3's stretching as a divisor for each frequency.
  std::vector<double> frequencies() {
    std::vector<double> frequencies = plan_.frequencies;
    if (!plan_.from_gguf || frequencies.empty() || !tensors_.has("rope_freqs.weight")) return frequencies;
    const auto count = static_cast<int64_t>(frequencies.size());
    const Tensor<float, 1> divisors = floats("rope_freqs.weight", count);
    for (int64_t c = 0; c < count; ++c) {
      const double divisor = divisors(c);
      if (!(divisor > 0)) {
        fail_format(tensors_.field("rope_freqs.weight") + ": expected values above 0, found " + number_text(divisor) +
                    " at " + std::to_string(c));
      }
      frequencies[static_cast<size_t>(c)] /= divisor;
    }
    return frequencies;
  }

  ModelTensors& tensors_;
  const DecoderPlan& plan_;
  const DecoderNames names_;
};

}  // namespace

DecoderWeights read_decoder_weights(ModelTensors& tensors, const DecoderPlan& plan, const Run& run) {
  return Reader(tensors, plan).read(run);
}

}  // namespace limelight::detail
