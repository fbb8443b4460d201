// Braille patterns: U+2800 and a bit for each dot.
#include "canvas.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "studio/unicode.h"

namespace limelight::cli {
namespace {

constexpr unsigned kBits[kDotsDown][kDotsAcross] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

int thickness_of(double share) {
  return share < 0.10 ? 1 : share < 0.25 ? 2 : share < 0.50 ? 3 : 4;
}

// Every so many dots are drawn.
int spacing_of(double share) {
  return share < 0.02 ? 4 : share < 0.04 ? 3 : 1;
}

}  // namespace

Canvas::Canvas(int64_t columns, int64_t lines)
    : columns_(columns), lines_(lines), cells_(static_cast<size_t>(columns * lines)) {}

void Canvas::dot(int64_t x, int64_t y, double share) {
  if (x < 0 || y < 0 || x >= columns_ * kDotsAcross || y >= lines_ * kDotsDown) return;
  Cell& cell = cells_[static_cast<size_t>(y / kDotsDown * columns_ + x / kDotsAcross)];
  cell.dots |= kBits[y % kDotsDown][x % kDotsAcross];
  cell.share = std::max(cell.share, share);
}

void Canvas::arc(Bulge bulge, double from, double to, double height, double share) {
  const double edge = static_cast<double>(bulge == Bulge::kUp ? lines_ * kDotsDown : columns_ * kDotsAcross) - 1;
  const double middle = (from + to) / 2;
  const double reach = std::abs(to - from) / 2;
  const int spacing = spacing_of(share);
  for (int ring = 0; ring < thickness_of(share); ++ring) {
    const double a = reach - ring;
    const double b = height - ring;
    if (a <= 0 || b <= 0) break;
    const int steps = static_cast<int>(4 * (a + b)) + 8;
    int64_t last_along = -1, last_up = -1;
    int drawn = 0;
    for (int i = 0; i <= steps; ++i) {
      const double angle = std::numbers::pi * i / steps;
      const int64_t along = std::lround(middle + a * std::cos(angle));
      const int64_t up = std::lround(edge - b * std::sin(angle));
      if (along == last_along && up == last_up) continue;
      last_along = along, last_up = up;
      if (drawn++ % spacing != 0) continue;
      bulge == Bulge::kUp ? dot(along, up, share) : dot(up, along, share);
    }
  }
}

std::string Canvas::line(const Terminal& terminal, int64_t index) const {
  constexpr char32_t kBlank = 0x2800;
  std::string text;
  for (int64_t c = 0; c < columns_; ++c) {
    const Cell& cell = cells_[static_cast<size_t>(index * columns_ + c)];
    const char32_t pattern[] = {kBlank + cell.dots};
    text += cell.dots == 0 ? " " : paint_share(terminal, cell.share, studio::encode_utf8({pattern, 1}));
  }
  return text;
}

}  // namespace limelight::cli
