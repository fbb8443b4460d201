// limelight dump: everything a model saw in a text, as tensors in one file.
#include <fmt/format.h>

#include <cstring>
#include <memory>

#include "commands.h"
#include "core/error.h"
#include "limelight/lens.h"
#include "model_arguments.h"
#include "output.h"
#include "progress.h"
#include "text_source.h"
#include "written_tensors.h"

namespace limelight::cli {
namespace {

struct Dump {
  TextSource source;
  ModelArguments model;
  std::vector<int64_t> ids;
  std::string out;
  bool json = false;

  std::vector<int32_t> token_ids(const Encoder& encoder) const {
    const EncoderConfig& config = encoder.config();
    if (ids.empty()) {
      const studio::Reading reading = studio::read_text(encoder, source.text(), model.too_long());
      for (const std::string& line : reading.notes) note(line);
      return reading.ids;
    }
    if (static_cast<int64_t>(ids.size()) > config.positions) {
      detail::fail_argument(
          fmt::format("ids: {} takes {} tokens, found {}; give fewer", config.name, config.positions, ids.size()));
    }
    for (const int64_t id : ids) {
      if (id >= 0 && id < config.vocabulary) continue;
      detail::fail_argument(fmt::format("ids: {} has ids 0 to {}, found {}", config.name, config.vocabulary - 1, id));
    }
    return {ids.begin(), ids.end()};
  }

  void run() const {
    const Encoder encoder = model.load();
    const EncoderConfig& config = encoder.config();
    const std::vector<int32_t> read = token_ids(encoder);
    const auto count = static_cast<int64_t>(read.size());
    const double bytes =
        4.0 * static_cast<double>(config.layers * config.heads * count * count + config.hidden * count);
    note(fmt::format("{} will hold {}: attention [{}, {}, {}, {}] and hidden [{}, {}]", out, size_text(bytes),
                     config.layers, config.heads, count, count, count, config.hidden));

    Tensor<int64_t, 1> id_tensor({count});
    for (int64_t t = 0; t < count; ++t) id_tensor(t) = read[static_cast<size_t>(t)];
    Tensor<float, 4> attention({config.layers, config.heads, count, count});
    LensRequest all_rows;
    for (int64_t t = 0; t < count; ++t) all_rows.rows.push_back(t);
    ProgressBar progress("dump");
    EncoderOptions options;
    options.causal = studio::causal_of(model.mask());
    options.observer = [&](const LayerAttention& seen) {
      const LensResult lens = look(seen.q, seen.k, seen.options, all_rows);
      std::memcpy(&attention(seen.layer, 0, 0, 0), lens.rows.data(),
                  sizeof(float) * static_cast<size_t>(lens.rows.count()));
      progress.show(static_cast<double>(seen.layer + 1) / static_cast<double>(config.layers));
    };
    const Tensor<float, 2> hidden = encoder.forward(read, options);

    WrittenTensors written;
    written.add("ids", id_tensor);
    written.add("attention", attention);
    written.add("hidden", hidden);
    written.write(out);
    progress.finish();
    print(json ? written.as_json() : written.as_table());
  }
};

}  // namespace

void add_dump(CommandLine& line) {
  const auto dump = std::make_shared<Dump>();
  Command command =
      line.add("dump", "Write ids, attention [L,H,T,T] and hidden states [T,C] to a safetensors file",
               "limelight dump \"The cat sat on the mat\" --out cat.safetensors", [dump] { dump->run(); });
  command.numbers("--ids", dump->ids, "Token ids instead of a text");
  dump->source.declare(command, [dump] { return !dump->ids.empty(); });
  command.text("--out", dump->out, "The file to write")
      .required("--out")
      .excludes("--ids", "TEXT")
      .excludes("--ids", "--file");
  dump->model.declare_model(command);
  dump->model.declare_mask(command);
  dump->model.declare_cut(command);
  command.flag("--json", dump->json, "Print the list of tensors as JSON").rule([dump] {
    return overwriting("--out", dump->out, dump->source.file());
  });
}

}  // namespace limelight::cli
