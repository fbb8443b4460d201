// limelight embed: a vector for each text, and how near the texts are to each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "commands.h"
#include "core/error.h"
#include "model_arguments.h"
#include "output.h"
#include "progress.h"
#include "studio/unicode.h"
#include "studio/wording.h"
#include "table.h"
#include "terminal.h"
#include "text_source.h"

namespace limelight::cli {
namespace {

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == line.npos;
}

using Vectors = std::vector<std::vector<float>>;

struct NamedText {
  std::string text;
  std::string place;  // in front of what is said of it: "line 2: "; empty where it is the only one
};

// Enough for every thread to have work, and little memory: MiniLM takes 16 KiB a token.
constexpr int64_t kBatchTokens = 4096;

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;  // both have length 1
  for (size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return std::clamp(sum, -1.0, 1.0);
}

std::string vector_lines(const Vectors& vectors, const Terminal& terminal) {
  constexpr size_t kPreview = 6;
  std::string text;
  for (const std::vector<float>& vector : vectors) {
    const size_t count = terminal.interactive ? std::min(kPreview, vector.size()) : vector.size();
    text += fmt::format("{}", fmt::join(vector.begin(), vector.begin() + static_cast<int64_t>(count), " "));
    if (count < vector.size()) text += fmt::format(" ... ({} numbers; a pipe or --json gets all)", vector.size());
    text += "\n";
  }
  return text;
}

std::string similarity_table(const std::vector<NamedText>& texts, const Vectors& vectors, const Terminal& terminal) {
  std::vector<std::vector<std::string>> cells(1, {"text"});
  std::string align = "l";
  const int64_t room = terminal.width - 8 * static_cast<int64_t>(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    cells[0].push_back(std::to_string(i + 1));
    align += 'r';
    const std::string name = studio::one_line(fmt::format("{} {}", i + 1, texts[i].text));
    cells.push_back({terminal.interactive ? fit_left(name, std::max<int64_t>(room, 12)) : name});
    for (const std::vector<float>& other : vectors)
      cells.back().push_back(fmt::format("{:.3f}", cosine(vectors[i], other)));
  }
  return table(cells, align);
}

struct Embed {
  ModelArguments model;
  std::vector<std::string> given;
  std::string file;
  bool similar = false, json = false;

  void declare(Command& command) {
    command.positionals("TEXT", given, "The texts; - reads standard input, a text a line; blank lines are skipped")
        .text("--file", file, "Read the texts from this file, one a line", "FILE")
        .excludes("--file", "TEXT")
        .rule([this] {
          return given.empty() && file.empty() ? "no text is given; write it in quotes, or use --file" : "";
        });
    model.declare_model(command);
    model.declare_cut(command);
    command.flag("--similar", similar, "Print how near the texts are: the cosine between their vectors")
        .flag("--json", json, "Print JSON");
  }

  std::vector<NamedText> texts() const {
    if (!file.empty() || given == std::vector<std::string>{"-"}) return lines();
    std::vector<NamedText> texts;
    for (size_t i = 0; i < given.size(); ++i) {
      const std::string place = given.size() > 1 ? fmt::format("text {} of {}: ", i + 1, given.size()) : "";
      if (is_blank(given[i])) detail::fail_argument(fmt::format("{}it is empty; give a sentence", place));
      texts.push_back({given[i], place});
    }
    return texts;
  }

  std::vector<NamedText> lines() const {
    std::vector<NamedText> lines;
    const std::string rest = without_last_line_end(read_file(file.empty() ? "-" : file));
    int64_t number = 0;
    for (size_t at = 0; at <= rest.size();) {
      const size_t end = std::min(rest.find('\n', at), rest.size());
      const std::string line = without_last_line_end(rest.substr(at, end - at) + "\n");
      ++number;
      if (!is_blank(line)) lines.push_back({line, fmt::format("line {}: ", number)});
      at = end + 1;
    }
    if (lines.empty()) detail::fail_argument("text: there is no line with a word; give a text a line");
    return lines;
  }

  studio::Reading read(const studio::EncoderReader& encoder, const NamedText& text) const {
    try {
      const studio::Reading reading = studio::read_text(encoder, text.text, model.too_long());
      for (const std::string& line : reading.notes) note(text.place + line);
      return reading;
    } catch (const std::invalid_argument& wrong) {
      detail::fail_argument(fmt::format("{}{}", text.place, studio::without_function(wrong.what())));
    }
  }

  // Texts go through the model together, as many as make some thousand tokens.
  Vectors vectors(const studio::EncoderReader& encoder, const std::vector<NamedText>& texts) const {
    Vectors vectors;
    TokenBatch batch;
    ProgressBar progress("embed");
    const auto embed_batch = [&] {
      const Tensor<float, 2> found = encoder.model().embed(batch);
      const int64_t channels = found.sizes()[1];
      for (int64_t s = 0; s < batch.texts(); ++s)
        vectors.emplace_back(found.data() + s * channels, found.data() + (s + 1) * channels);
      progress.show(static_cast<double>(vectors.size()) / static_cast<double>(texts.size()));
      batch = {};
    };
    for (const NamedText& text : texts) {
      const studio::Reading reading = read(encoder, text);
      if (batch.tokens() + static_cast<int64_t>(reading.ids.size()) > kBatchTokens) embed_batch();
      batch.add(reading.ids);
    }
    embed_batch();
    return vectors;
  }

  std::string as_json(const Vectors& vectors) const {
    nlohmann::ordered_json result;
    if (vectors.size() == 1) {
      result["embedding"] = vectors.front();
    } else {
      result["embeddings"] = vectors;
    }
    if (similar) {
      auto& rows = result["similar"] = nlohmann::ordered_json::array();
      for (const auto& a : vectors) {
        auto& row = rows.emplace_back(nlohmann::ordered_json::array());
        for (const auto& b : vectors) row.push_back(cosine(a, b));
      }
    }
    return result.dump() + "\n";
  }

  void run() const {
    const auto encoder = model.load_encoder("embed");
    const std::vector<NamedText> all = texts();
    const Vectors found = vectors(*encoder, all);
    const Terminal terminal = standard_terminal();
    if (json) return print(as_json(found));
    print(similar ? similarity_table(all, found, terminal) : vector_lines(found, terminal));
  }
};

}  // namespace

void add_embed(CommandLine& line) {
  const auto embed = std::make_shared<Embed>();
  Command command = line.add(
      "embed", "Turn texts into vectors, and compare them: the mean over the tokens, or as the model's folder says",
      "limelight embed \"a cat sleeps\" \"a kitten naps\" \"the market fell\" --similar", [embed] { embed->run(); });
  embed->declare(command);
}

}  // namespace limelight::cli
