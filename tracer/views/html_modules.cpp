#include "views/html_modules.hpp"

#include <fmt/format.h>

#include "views/html_text.hpp"

namespace callpath {

std::vector<LackingModule> lacking_modules(const Story& story) {
  const auto& modules = story.recording->modules;
  std::vector<LackingModule> all(modules.size());
  for (const auto& f : story.event->frames) {
    if (!f.module || *f.module < 0 || static_cast<std::size_t>(*f.module) >= modules.size()) continue;
    auto& m = all[static_cast<std::size_t>(*f.module)];
    ++m.frames;
    if (f.confidence == Confidence::module || !f.source || !f.source->line) ++m.missing;
  }
  std::vector<LackingModule> out;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    if (modules[i].debug == "full" || all[i].frames == 0) continue;
    all[i].module = &modules[i];
    out.push_back(all[i]);
  }
  return out;
}

std::string html_modules(const Story& story) {
  const auto& w = story.words();
  std::string rows;
  for (const auto& [module, frames, missing] : lacking_modules(story))
    rows += fmt::format(
        "<tr><th scope=\"row\">{}<small class=\"m\">{}</small><small class=\"m\" "
        "title=\"build-id\">{}</small></th><td>{}</td><td>{}</td><td "
        "class=\"m\">{}</td></tr>",
        escape(module->name), breakable(module->path), escape(module->build_id), escape(in_language(module->debug, story.language)),
        w.of_frames(missing, frames), escape(in_language(module->advice, story.language)));
  if (rows.empty()) return {};
  return fmt::format(
      "<section class=\"foot\"><h3>{}</h3><table><thead><tr><th scope=\"col\">{}</th><th scope=\"col\">{}</th><th "
      "scope=\"col\">{}</th><th scope=\"col\">{}</th></tr></thead><tbody>{}</tbody></table></section>\n",
      w.modules, w.module, w.debug, w.missing_frames, w.advice, rows);
}

}  // namespace callpath
