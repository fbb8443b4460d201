// By code points: a byte of a control character may be one of a letter.
#include "printable.h"

#include "studio/unicode.h"

namespace limelight::cli {
namespace {

bool is_control(char32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x61C || point == 0x200E || point == 0x200F ||
         (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text, std::u32string_view kept) {
  std::u32string points = studio::decode_utf8(text);
  for (char32_t& point : points) {
    if (is_control(point) && kept.find(point) == kept.npos) point = U' ';
  }
  return studio::encode_utf8(points);
}

}  // namespace limelight::cli
