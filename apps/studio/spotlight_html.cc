// Every number stands in the table too, so that nothing hangs on colour or sight.
#include "spotlight_html.h"

#include <fmt/format.h>

#include <iterator>

#include "spotlight_svg.h"

namespace limelight::studio {
namespace {

constexpr std::string_view kPageStyle = R"(:root{color-scheme:light dark;--ink:#1b1f16;--dim:#6c7263;--light:#5c8a00;
--ground:#fdfef9;--line:#e4e8da}
@media (prefers-color-scheme:dark){:root{--ink:#eef2e4;--dim:#969d8a;--light:#c6f432;--ground:#12150d;--line:#2c3124}}
body{margin:0;background:var(--ground);color:var(--ink);
font:17px/1.5 system-ui,"Segoe UI",Roboto,"Noto Sans","Noto Sans CJK SC",sans-serif}
main{max-width:1008px;margin:0 auto;padding:32px 24px}
h1{font-size:26px;line-height:1.25;margin:0 0 4px}p{margin:6px 0}.dim{color:var(--dim)}
figure{margin:20px 0;overflow-x:auto}figure svg{display:block;max-width:100%;height:auto}
.wide svg{max-width:none}
.sum{font-size:19px}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
td,th{padding:5px 12px 5px 0;border-top:1px solid var(--line);text-align:left;font-weight:400}
td.number{text-align:right;white-space:nowrap}td.bar{width:60%}
td.bar i{display:block;height:12px;border-radius:6px;background:var(--light);min-width:2px}
)";

std::string unlit_line(const std::string& word, const Share& share, std::string_view reason) {
  return fmt::format("<tr class=\"dim\"><th>{}</th><td class=\"number\">{}</td><td>{}</td></tr>\n", escape_markup(word),
                     share_text(share), reason);
}

std::string table_line(const std::string& word, const Share& share, bool apart) {
  const double percent = static_cast<double>(share.permille) / 10;
  return fmt::format(
      "<tr{}><th>{}</th><td class=\"number\">{:.1f} %</td><td class=\"bar\"><i "
      "style=\"width:{:.1f}%\"></i></td></tr>\n",
      apart ? " class=\"dim\"" : "", escape_markup(word), percent, percent);
}

std::string share_table(const Spotlight& light, const SpotlightRow& row) {
  std::string text = "<table>\n";
  for (const size_t i : strongest_first(row)) text += table_line(light.units[i], row.shares[i], false);
  for (size_t i = 0; i < row.shares.size(); ++i) {
    const Share& share = row.shares[i];
    if (!share.lit()) text += unlit_line(light.units[i], share, share.blocked ? blocked_reason(row, i) : "first token");
  }
  if (!light.special.empty() && row.special.lit()) text += table_line(light.special, row.special, true);
  return text + "</table>\n";
}

}  // namespace

std::string spotlight_html(const Spotlight& light) {
  const std::string title = light.grid
                                ? "Where every word looks"
                                : fmt::format("Where \u201c{}\u201d looks", escape_markup(light.rows.front().word));
  std::string page;
  fmt::format_to(std::back_inserter(page),
                 "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>{}</title>\n"
                 "<style>{}{}</style>\n</head>\n<body>\n<main>\n<h1>{}</h1>\n<p class=\"dim\">{}</p>\n",
                 title, kPageStyle, markup_style(), title, escape_markup(light.text));
  fmt::format_to(std::back_inserter(page), "<figure{}>\n{}</figure>\n", light.grid ? " class=\"wide\"" : "",
                 spotlight_picture(light));
  if (!light.grid) {
    const SpotlightRow& row = light.rows.front();
    fmt::format_to(std::back_inserter(page), "<p class=\"sum\">{}</p>\n{}<p class=\"dim\">{}</p>\n",
                   escape_markup(weighted_sum(light, row)), share_table(light, row),
                   escape_markup(first_token_line(light, row)));
  }
  for (const std::string& note : light.notes) {
    fmt::format_to(std::back_inserter(page), "<p class=\"dim\">{}</p>\n", escape_markup(note));
  }
  fmt::format_to(
      std::back_inserter(page),
      "<p class=\"dim\">Percentages are softmax weights, special tokens included, and add to 100. They show where "
      "a head reads, not why the model answers.</p>\n</main>\n</body>\n</html>\n");
  return page;
}

}  // namespace limelight::studio
