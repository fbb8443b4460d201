// Code points by hand, letters and widths from the C library's own Unicode tables.
#include "unicode.h"

#include <locale.h>
#include <wchar.h>
#include <wctype.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

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

// Bytes of the sequence that begins with `lead`, or 0 when none does.
int sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

}  // namespace

std::u32string decode_utf8(std::string_view text) {
  std::u32string points;
  for (size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const int length = sequence_length(lead);
    char32_t point = length <= 1 ? lead : lead & (0xFFu >> (length + 1));
    bool whole = length > 0 && at + static_cast<size_t>(length) <= text.size();
    for (int i = 1; whole && i < length; ++i) {
      const auto next = static_cast<unsigned char>(text[at + static_cast<size_t>(i)]);
      whole = (next & 0xC0) == 0x80;
      point = point << 6 | (next & 0x3Fu);
    }
    points.push_back(whole ? point : kReplacement);
    at += whole ? static_cast<size_t>(length) : 1;
  }
  return points;
}

std::string encode_utf8(std::u32string_view points) {
  std::string text;
  for (const char32_t point : points) {
    const auto tail = [&](int shift) { text.push_back(static_cast<char>(0x80 | (point >> shift & 0x3F))); };
    if (point < 0x80) {
      text.push_back(static_cast<char>(point));
    } else if (point < 0x800) {
      text.push_back(static_cast<char>(0xC0 | point >> 6));
      tail(0);
    } else if (point < 0x10000) {
      text.push_back(static_cast<char>(0xE0 | point >> 12));
      tail(6), tail(0);
    } else {
      text.push_back(static_cast<char>(0xF0 | point >> 18));
      tail(12), tail(6), tail(0);
    }
  }
  return text;
}

std::string one_line(std::string_view text) {
  std::u32string points = decode_utf8(text);
  std::replace_if(points.begin(), points.end(), is_control, U' ');
  return encode_utf8(points);
}

std::u32string fold(std::string_view text) {
  const UnicodeLocale scope;
  std::u32string points = decode_utf8(text);
  for (char32_t& point : points) {
    point = point == 0x2019 ? U'\'' : static_cast<char32_t>(towlower(static_cast<wint_t>(point)));
  }
  return points;
}

int64_t display_width(std::string_view text) {
  const UnicodeLocale scope;
  int64_t width = 0;
  for (const char32_t point : decode_utf8(text)) width += std::max(0, wcwidth(static_cast<wchar_t>(point)));
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
