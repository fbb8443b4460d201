// The flash pass over one query, key tile by key tile: the kernel that attention() runs, on small tiles, looked at
// after each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lesson/recipe.h"

namespace limelight::lesson {

struct TileStep {
  int64_t first = 0, end = 0;      // keys
  bool skipped = false;            // nothing of it is seen: it costs nothing
  std::vector<float> scores{};     // scaled; of a blocked key any number
  std::vector<uint8_t> blocked{};  // of each key
  std::vector<float> weights{};    // as they will be when all tiles are done
  std::optional<float> tile_max{};
  // After this tile; no maximum and no output where nothing was seen yet.
  std::optional<float> max{};
  float rescale = 1;  // what the old sum and output were multiplied by
  float sum = 0;
  std::optional<std::vector<float>> out{};  // divided by the sum so far
  std::optional<double> difference{};       // largest, from the plain answer
};

struct TileTrace {
  std::vector<TileStep> steps;
  std::vector<double> plain;  // [E], the whole row at once, in double
  double difference = 0;      // of the last step
};

// Throws std::invalid_argument for shapes that do not fit, a query that is none and tiles not of 1 to 512 keys, and
// FormatError where a score that is seen is not a number.
TileTrace trace_tiles(const HeadInput& head, int64_t query, int64_t tile);

int64_t engine_tile();  // keys in a tile of attention() itself

}  // namespace limelight::lesson
