// Letters and widths from the C library's own Unicode tables.
#include "unicode.h"

#include <locale.h>
#include <wchar.h>
#include <wctype.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "model/utf8.h"

namespace limelight::studio {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

// Never freed: it lives as long as the program. wcwidth has no form that takes a locale, so a scope switches the
// thread's.
class UnicodeLocale {
 public:
  UnicodeLocale() : previous_(uselocale(unicode())) {}
  ~UnicodeLocale() { uselocale(previous_); }
  UnicodeLocale(const UnicodeLocale&) = delete;
  UnicodeLocale& operator=(const UnicodeLocale&) = delete;

 private:
  static locale_t unicode() {
    static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return locale != nullptr ? locale : LC_GLOBAL_LOCALE;
  }
  locale_t previous_;
};

bool is_control(char32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x61C || point == 0x200E || point == 0x200F ||
         (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

// U+2400 and what follows are pictures of the controls of ASCII; the others have none.
char32_t picture_of(char32_t control) {
  constexpr char32_t kPictures = 0x2400, kDelete = 0x7F, kDeletePicture = 0x2421;
  if (control < 0x20) return kPictures + control;
  return control == kDelete ? kDeletePicture : kReplacement;
}

}  // namespace

std::u32string decode_utf8(std::string_view text) {
  std::string clean;
  for (size_t at = 0; at < text.size();) {
    const auto [kind, length] = detail::utf8_sequence(text.substr(at));
    const bool whole = kind == detail::Utf8Sequence::Kind::kWhole;
    if (whole) clean += text.substr(at, length);
    if (!whole) detail::append_utf8(kReplacement, clean);
    at += whole ? length : 1;
  }
  return detail::decode_utf8(clean, "decode_utf8").codes;
}

std::string encode_utf8(std::u32string_view points) {
  std::string text;
  for (const char32_t point : points) detail::append_utf8(point, text);
  return text;
}

std::string one_line(std::string_view text, std::u32string_view kept) {
  std::u32string points = decode_utf8(text);
  for (char32_t& point : points) {
    if (is_control(point) && kept.find(point) == kept.npos) point = picture_of(point);
  }
  return encode_utf8(points);
}

std::string shortened(std::string_view text, int64_t width) {
  const std::u32string points = decode_utf8(text);
  size_t kept = 0;  // with room for an ellipsis
  int64_t columns = 0;
  for (const char32_t point : points) {
    columns += display_width(point);
    if (columns > width) return encode_utf8(points.substr(0, kept)) + "…";
    if (columns < width) ++kept;
  }
  return std::string(text);
}

std::string legible(std::string_view text) {
  constexpr int64_t kMostColumns = 120;
  return shortened(one_line(text), kMostColumns);
}

std::u32string fold(std::string_view text) {
  const UnicodeLocale scope;
  std::u32string points = decode_utf8(text);
  for (char32_t& point : points) {
    point = point == 0x2019 ? U'\'' : static_cast<char32_t>(towlower(static_cast<wint_t>(point)));
  }
  return points;
}

int64_t display_width(char32_t point) {
  const UnicodeLocale scope;
  return std::max(0, wcwidth(static_cast<wchar_t>(point)));
}

int64_t display_width(std::string_view text) {
  int64_t width = 0;
  for (const char32_t point : decode_utf8(text)) width += display_width(point);
  return width;
}

int64_t edit_distance(std::u32string_view a, std::u32string_view b) {
  std::vector<int64_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    int64_t diagonal = std::exchange(row[0], static_cast<int64_t>(i) + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const int64_t substituted = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace limelight::studio
