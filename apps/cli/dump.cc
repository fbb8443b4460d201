// limelight dump: everything a model saw in a text, as tensors in one file.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.h"
#include "core/consecutive.h"
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

  std::vector<int32_t> token_ids(const studio::Reader& reader) const {
    const studio::ReaderFacts& facts = reader.facts();
    if (ids.empty()) {
      const studio::Reading reading = studio::read_text(reader, source.text(), model.too_long());
      for (const std::string& line : reading.notes) note(line);
      return reading.ids;
    }
    if (static_cast<int64_t>(ids.size()) > facts.positions) {
      detail::fail_argument(
          fmt::format("ids: {} takes {} tokens, found {}; give fewer", facts.name, facts.positions, ids.size()));
    }
    for (const int64_t id : ids) {
      if (id >= 0 && id < facts.vocabulary) continue;
      detail::fail_argument(fmt::format("ids: {} has ids 0 to {}, found {}", facts.name, facts.vocabulary - 1, id));
    }
    return {ids.begin(), ids.end()};
  }

  void run() const {
    const auto reader = model.load();
    const studio::ReaderFacts& facts = reader->facts();
    const std::vector<int32_t> read = token_ids(*reader);
    const auto count = static_cast<int64_t>(read.size());
    const double floats = static_cast<double>(facts.layers * facts.heads * count) * static_cast<double>(count) +
                          static_cast<double>(facts.output_width * count);
    note(fmt::format("{} will hold {}: attention [{}, {}, {}, {}] and {} [{}, {}]", out, size_text(4 * floats),
                     facts.layers, facts.heads, count, count, facts.output, count, facts.output_width));

    Tensor<int64_t, 1> id_tensor({count});
    for (int64_t t = 0; t < count; ++t) id_tensor(t) = read[static_cast<size_t>(t)];
    Tensor<float, 4> attention({facts.layers, facts.heads, count, count});
    LensRequest all_rows;
    all_rows.rows = detail::consecutive(0, count);
    ProgressBar progress("dump");
    studio::ReadOptions options;
    options.causal = studio::causal_of(model.mask());
    options.observer = [&](const LayerAttention& seen) {
      const LensResult lens = look(seen.q, seen.k, seen.options, all_rows);
      std::copy_n(lens.rows.data(), lens.rows.count(), &attention(seen.layer, 0, 0, 0));
    };
    options.run.progress = progress.callback();
    const Tensor<float, 2> output = reader->read(read, options);

    WrittenTensors written;
    written.add("ids", id_tensor);
    written.add("attention", attention);
    written.add(facts.output, output);
    written.write(out);
    progress.finish();
    print(json ? written.as_json() : written.as_table());
  }
};

}  // namespace

void add_dump(CommandLine& line) {
  const auto dump = std::make_shared<Dump>();
  Command command =
      line.add("dump", "Write ids, attention [L,H,T,T] and hidden states [T,C] or logits [T,V] to a safetensors file",
               "limelight dump \"The cat sat on the mat\" --out cat.safetensors", [dump] { dump->run(); });
  command.numbers("--ids", dump->ids, "Token ids instead of a text");
  dump->source.declare(command, [dump] { return !dump->ids.empty(); });
  command.output_file("--out", dump->out, "The file to write")
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
