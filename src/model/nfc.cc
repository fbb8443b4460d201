// Canonical composition (NFC of UAX 15).
#include "model/nfc.h"

#include <algorithm>

#include "model/unicode.h"

namespace limelight::detail {

Characters compose_nfc(const Characters& text) {
  // Below U+0300 nothing combines.
  if (std::all_of(text.codes.begin(), text.codes.end(), [](char32_t code) { return code < 0x300; })) return text;
  constexpr size_t kNone = std::u32string::npos;
  Characters result;
  size_t starter = kNone, sources = 0;
  int last_class = -1;  // of what follows the starter; -1: nothing
  for (const auto& [code, first] : decompose(text.codes)) {
    if (first) ++sources;
    const Span span = text.spans[sources - 1];
    const int combining = combining_class(code);
    const bool near = starter != kNone && last_class < combining;
    if (const char32_t composite = near ? composite_of(result.codes[starter], code) : 0) {
      result.codes[starter] = composite;
      for (size_t i = starter; i < result.size(); ++i) result.spans[i].end = std::max(result.spans[i].end, span.end);
      continue;
    }
    if (combining == 0) starter = result.size();
    last_class = combining == 0 ? -1 : combining;
    result.push(code, span);
  }
  return result;
}

}  // namespace limelight::detail
