#include "views/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explain/text.hpp"
#include "views/html_text.hpp"
#include "views/tokens.hpp"

namespace callpath {
namespace {

using fmt::format;

constexpr double width = 960, edge = 20, lane = 24, numbers_end = 164, layer_at = 174, text_at = 264;
constexpr double mono = 8.45, small = 7.25;  // advances of a column at 14 and 12 pixels

std::string styles() {
  auto rules = [](bool dark) {
    std::string out;
    for (const auto& g : grounds()) out += format("--{}:#{:06x};", g.name, dark ? g.dark : g.light);
    for (auto tone : {Tone::python, Tone::cpython, Tone::work, Tone::binding, Tone::dispatch, Tone::kernel, Tone::unknown}) {
      auto c = colours(tone);
      out += format("--{0}:#{1:06x};--{0}-w:#{2:06x};", to_string(tone), dark ? c.dark : c.light, dark ? c.dark_wash : c.light_wash);
    }
    return out;
  };
  std::string out = format("svg{{{}}}@media(prefers-color-scheme:dark){{svg{{{}}}}}\n", rules(false), rules(true));
  for (auto tone : {Tone::python, Tone::cpython, Tone::work, Tone::binding, Tone::dispatch, Tone::kernel, Tone::unknown})
    out += format(".{0}{{--c:var(--{0});--w:var(--{0}-w)}}\n", to_string(tone));
  return out +
         "text{font:13px Inter,\"Noto Sans\",system-ui,sans-serif,\"Noto Sans CJK SC\";fill:var(--muted)}"
         ".m{font-family:ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,monospace}.fn{font-size:14px;font-weight:600;fill:var(--ink)}"
         ".lay{font-weight:600;fill:var(--c)}.l{font-size:12px}.on{font-weight:600;fill:var(--c)}"
         ".p{fill:none;stroke:var(--c);stroke-width:2.5}.dots{stroke-dasharray:3 3}.n{fill:var(--c)}"
         ".hollow{fill:var(--bg);stroke:var(--c);stroke-width:2;stroke-dasharray:2 2}.end{font-size:19px;fill:var(--ink)}.end "
         ".now,.to{fill:var(--c)}\n";
}

class Picture {
 public:
  explicit Picture(const Story& story) : story_(story) {}

  std::string text() {
    head();
    const auto n = story_.rows.size();
    for (std::size_t i = n; i-- > 0;) row(i);
    auto height = y_ + 16;
    auto title = story_.from ? story_.from->place + " → " + (story_.to ? story_.to->place : "") : "callpath";
    return format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" height=\"{1:g}\" role=\"img\" "
        "aria-label=\"{2}\" xml:lang=\"{6}\">\n<title>{2}</title>\n<style>{3}</style>\n<rect width=\"{0:g}\" height=\"{1:g}\" "
        "fill=\"var(--bg)\"/>\n{4}{5}</svg>\n",
        width, height, escape(title), styles(), lines_, texts_, story_.words().html_lang);
  }

 private:
  static double x(const Stage& stage) { return edge + 12 + static_cast<int>(stage.world) * lane; }

  void put(double x, double y, const char* classes, const std::string& inside, const char* anchor = "") {
    texts_ += format("<text x=\"{:g}\" y=\"{:g}\" class=\"{}\"{}>{}</text>\n", x, y, classes, anchor, inside);
  }

  void head() {
    for (const auto* end : {story_.from ? &*story_.from : nullptr, story_.to ? &*story_.to : nullptr}) {
      if (!end) continue;
      bool from = story_.from && end == &*story_.from;
      auto state = end->state;
      std::erase_if(state, [](char c) { return c == '\1' || c == '\2'; });
      put(edge, y_ + 14, "l", escape(end->place + (state.empty() ? "" : "   " + state)));
      put(edge, y_ + 38, format("m end{}", from ? "" : " to " + to_string(story_.rows.front().stage.tone)).c_str(),
          escape(shorten_middle(printable(end->code), 76)));
      y_ += 54;
    }
    y_ += 12;
  }

  void line(std::size_t at, double node) {
    const auto& stage = story_.rows[at].stage;
    auto tone = to_string(stage.tone);
    if (at + 1 < story_.rows.size()) {
      const auto& above = story_.rows[at + 1].stage;
      bool dots = stage.elided || above.elided;
      double from = last_node_, to = node;
      if (x(above) == x(stage))
        lines_ += format("<path class=\"p {}{}\" d=\"M{:g} {:g}V{:g}\"/>\n", tone, dots ? " dots" : "", x(stage), from, to);
      else
        lines_ += format("<path class=\"p {0}{1}\" d=\"M{2:g} {3:g}V{4:g}C{2:g} {5:g} {6:g} {7:g} {6:g} {8:g}\"/>\n", tone,
                         dots ? " dots" : "", x(above), from, to - 22, to - 9, x(stage), to - 14, to);
    }
    bool hollow = stage.elided || stage.tone == Tone::unknown;
    double radius = stage.innermost ? 7 : stage.folded ? 3 : 6;
    texts_ +=
        format("<circle cx=\"{:g}\" cy=\"{:g}\" r=\"{:g}\" class=\"{} {}\"/>\n", x(stage), node, radius, hollow ? "hollow" : "n", tone);
    if (stage.innermost) texts_ += format("<circle cx=\"{:g}\" cy=\"{:g}\" r=\"10.5\" class=\"p {}\"/>\n", x(stage), node, tone);
    last_node_ = node;
  }

  // Flush right; its width in pixels.
  double choice(const Row& row, double y) {
    if (!row.choice) return 0;
    std::string inside = escape(row.choice->label);
    for (std::size_t i = 0; i < row.choice->options.size(); ++i) {
      if (!inside.empty()) inside += ' ';
      auto text = escape(row.choice->options[i]);
      inside += i == row.choice->taken ? "<tspan class=\"on\">[" + text + "]</tspan>" : text;
    }
    put(width - edge, y, format("m l {}", to_string(row.stage.tone)).c_str(), inside, " text-anchor=\"end\"");
    return columns(to_string(*row.choice)) * small + 16;
  }

  void row(std::size_t at) {
    const auto& row = story_.rows[at];
    auto tone = to_string(row.stage.tone);
    double base = y_ + 16;
    line(at, y_ + 12);
    put(numbers_end, base, "l", number_range(row.stage), " text-anchor=\"end\"");
    put(layer_at, base, row.stage.folded ? "" : ("lay " + tone).c_str(), to_string(row.stage.layer));
    if (row.stage.folded) {
      auto rounds = row.stage.repeats > 1 ? story_.words().rounds(row.stage.repeats) + " " : "";
      put(text_at, base, "", escape("▸ " + shorten_middle(rounds + row.sentence, 92)));
      y_ += 28;
      return;
    }
    double room = width - edge - text_at - choice(row, base);
    auto name = shorten_middle(row.name, std::max(8, static_cast<int>(room / mono)));
    put(text_at, base, "m fn", escape(name));
    auto beside = row.place + (row.confidence.empty() ? "" : " · " + row.confidence);
    double used = columns(name) * mono + 14;
    if (used + columns(beside) * small < room) put(text_at + used, base, "l", escape(beside));
    put(text_at, base + 19, row.code_sentence ? "m l" : "", escape(shorten_middle(row.sentence, 92)));
    y_ += 46;
  }

  const Story& story_;
  double y_ = 16, last_node_ = 0;
  std::string lines_, texts_;
};

}  // namespace

std::string svg(const Recording& recording, std::size_t event, const HtmlOptions& options) {
  const auto& notes = options.notes ? *options.notes : Notes::built_in();
  auto story = story_of(recording, event, options.language, notes);
  return Picture(story).text();
}

}  // namespace callpath
