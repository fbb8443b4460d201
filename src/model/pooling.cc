// Several modes at once would give several vectors side by side: refused, as what is not known.
#include "model/pooling.h"

#include <cmath>
#include <vector>

#include "core/error.h"
#include "model/json_field.h"
#include "model/quoted_name.h"

namespace limelight::detail {

Pooling read_pooling(const std::filesystem::path& folder) {
  constexpr std::string_view kMode = "pooling_mode_";
  const auto file = JsonFile::find(folder / "1_Pooling" / "config.json");
  if (!file) return {};
  std::string modes;
  file->root().each_member([&](const std::string& key, const JsonField& field) {
    std::string mode;
    if (key == "pooling_mode") mode = field.as_string();
    if (key.starts_with(kMode) && field.as_bool()) mode = key.substr(kMode.size());
    if (!mode.empty()) modes += (modes.empty() ? "" : " and ") + mode;
  });
  if (modes == "mean_tokens" || modes == "mean") return {};
  if (modes == "cls_token" || modes == "cls") return {Pooling::Kind::kFirst, ""};
  return {Pooling::Kind::kOther, file->path().string() + ": pooling mode: expected mean_tokens or cls_token, found " +
                                     (modes.empty() ? "none" : in_quotes(modes))};
}

void write_pooled(const Pooling& pooling, TensorView<const float, 2> rows, float* to) {
  if (pooling.kind == Pooling::Kind::kOther) fail_format(pooling.refusal);
  const auto [tokens, channels] = rows.sizes;
  // The mean's divisor falls out of the length.
  const int64_t taken = pooling.kind == Pooling::Kind::kFirst ? 1 : tokens;
  std::vector<double> sum(static_cast<size_t>(channels));
  for (int64_t t = 0; t < taken; ++t) {
    for (int64_t c = 0; c < channels; ++c) sum[static_cast<size_t>(c)] += rows(t, c);
  }
  double squares = 0;
  for (double x : sum) squares += x * x;
  const double scale = squares == 0 ? 0 : 1 / std::sqrt(squares);
  for (int64_t c = 0; c < channels; ++c) to[c] = static_cast<float>(sum[static_cast<size_t>(c)] * scale);
}

}  // namespace limelight::detail
