#include "views/fork.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "explain/names.hpp"
#include "explain/text.hpp"

namespace callpath {
namespace {

// Which rows of a story hold a frame that the other path does not have.
std::vector<bool> differing_rows(const Story& story, const std::set<std::size_t>& frames) {
  std::vector<bool> out;
  for (const auto& row : story.rows)
    out.push_back(std::any_of(row.stage.frames.begin(), row.stage.frames.end(), [&](std::size_t f) { return frames.count(f) > 0; }));
  return out;
}

void split(Fork& out, const Story& a, const std::vector<bool>& a_differs, const Story& b, const std::vector<bool>& b_differs) {
  const auto na = a.rows.size(), nb = b.rows.size(), least = std::min(na, nb);
  auto same = [&](std::size_t i, std::size_t j) {
    return !a_differs[i] && !b_differs[j] && a.rows[i].stage.layer == b.rows[j].stage.layer;
  };
  while (out.trunk < least && same(na - 1 - out.trunk, nb - 1 - out.trunk)) ++out.trunk;
  while (out.trunk + out.rejoined < least && same(out.rejoined, out.rejoined)) ++out.rejoined;
}

const Fact* fact_of(const Event& event, const Decision& decision, const std::string& name) {
  const Fact* found = nullptr;
  for (const auto& fact : event.facts)
    if (fact.name == name && (!found || fact.frame == decision.frame)) found = &fact;
  return found;
}

std::string side(const Event& event, const Decision& decision, const Event& other, const Decision& others, const std::string& language) {
  std::string out;
  for (const auto& name : decision.facts) {
    const auto *mine = fact_of(event, decision, name), *theirs = fact_of(other, others, name);
    if (mine && (!theirs || mine->text != theirs->text)) out += (out.empty() ? "" : ", ") + printable(mine->name + " = " + mine->text);
  }
  auto taken = printable(in_language(decision.taken, language));
  return out.empty() ? taken : out + "  " + taken;
}

// Decisions made in the rows that differ, outermost first, before those of the trunk, innermost first: what was decided far outside need
// not be why the paths part here.
void find_parting(Fork& out, const Story& a, const Story& b) {
  std::size_t first_of_trunk = a.event->frames.size();
  if (out.trunk > 0) first_of_trunk = a.rows[a.rows.size() - out.trunk].stage.frames.front();
  auto rank = [&](const Decision& d) {
    bool in_trunk = static_cast<std::size_t>(d.frame) >= first_of_trunk;
    return std::pair(in_trunk ? 0 : 1, in_trunk ? -d.frame : d.frame);
  };
  for (const auto& x : a.event->decisions)
    for (const auto& y : b.event->decisions)
      if (x.id == y.id && x.taken != y.taken && x.id != "kernel.value" && (!out.a || rank(x) > rank(*out.a))) out.a = &x, out.b = &y;
  if (!out.a) return;
  out.facts_a = side(*a.event, *out.a, *b.event, *out.b, a.language);
  out.facts_b = side(*b.event, *out.b, *a.event, *out.a, a.language);
}

std::string lower_first(std::string text) {
  if (text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' && !(text[1] >= 'A' && text[1] <= 'Z'))
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

std::string frame_in_words(const char* letter, const Story& story, const std::optional<std::size_t>& at) {
  if (!at) return {};
  const auto& f = story.event->frames[*at];
  return fmt::format("{} {}{}  {}", letter, f.number ? fmt::format("#{} ", *f.number) : "", shorten_middle(display_name(f), 40),
                     place(f, *story.recording));
}

// "place: a against b; layer: c against d", part by part.
std::string difference_text(const std::string& text, const std::string& language) {
  std::string out;
  for (std::size_t at = 0; at <= text.size();) {
    auto end = std::min(text.find("; ", at), text.size());
    out += (out.empty() ? "" : language == "zh" ? "；" : "; ") + in_language(text.substr(at, end - at), language);
    at = end + 2;
  }
  return out;
}

}  // namespace

Fork fork_of(const Story& a, const Story& b) {
  Fork out;
  out.differences = compare_paths(*a.event, *a.recording, *b.event, *b.recording);
  std::set<std::size_t> in_a, in_b;
  for (const auto& d : out.differences) {
    if (d.a) in_a.insert(*d.a);
    if (d.b) in_b.insert(*d.b);
  }
  split(out, a, differing_rows(a, in_a), b, differing_rows(b, in_b));
  find_parting(out, a, b);
  return out;
}

std::set<const Fact*> differing_facts(const Event& event, const Event& other) {
  std::set<const Fact*> out;
  for (const auto& fact : event.facts) {
    auto same = [&](const Fact& theirs) { return theirs.name == fact.name && theirs.text == fact.text; };
    if (std::none_of(other.facts.begin(), other.facts.end(), same)) out.insert(&fact);
  }
  return out;
}

std::string in_words(const Difference& d, const Story& a, const Story& b) {
  bool zh = a.language == "zh";
  auto in_a = frame_in_words("A", a, d.a), in_b = frame_in_words("B", b, d.b);
  if (d.what == Difference::What::only_a) return (zh ? "只有 " : "only ") + in_a;
  if (d.what == Difference::What::only_b) return (zh ? "只有 " : "only ") + in_b;
  if (in_a.substr(1) != in_b.substr(1)) return in_a + "\n" + in_b;
  return in_a + (zh ? "，B 也一样，只是" : ", B the same but for ") + difference_text(d.text, a.language);
}

std::string same_stages(std::size_t n, const std::string& language) {
  return language == "zh" ? fmt::format("{} 段，两边相同", n) : fmt::format("{} stage{}, the same on both sides", n, n == 1 ? "" : "s");
}

std::string parting_question(const Fork& fork, const std::string& language) {
  bool zh = language == "zh";
  std::string text = zh ? "从这里分开" : "They part here";
  if (!fork.a || fork.a->question.empty()) return text;
  return zh ? text + "：" + printable(in_language(fork.a->question, language)) : text + ": " + lower_first(printable(fork.a->question));
}

}  // namespace callpath
