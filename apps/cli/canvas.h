// Curves in a terminal: a canvas of braille dots, two by four in every cell, each cell coloured by its strongest curve.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "terminal.h"

namespace limelight::cli {

inline constexpr int64_t kDotsAcross = 2;
inline constexpr int64_t kDotsDown = 4;

enum class Bulge { kUp, kLeft };

class Canvas {
 public:
  Canvas(int64_t columns, int64_t lines);

  // Half an ellipse that stands on the bottom edge (or the right one) at dots `from` and `to` and rises `height` dots;
  // it is thicker for a larger share, and dotted for a very small one.
  void arc(Bulge bulge, double from, double to, double height, double share);

  std::string line(const Terminal& terminal, int64_t index) const;

 private:
  struct Cell {
    unsigned dots = 0;
    double share = 0;
  };
  void dot(int64_t x, int64_t y, double share);

  int64_t columns_;
  int64_t lines_;
  std::vector<Cell> cells_;
};

}  // namespace limelight::cli
