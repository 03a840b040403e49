#include "cli/walk_write.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.hpp"
#include "record/write_file.hpp"
#include "views/html.hpp"

namespace fs = std::filesystem;

namespace callpath::cli {

/// By trying: permission bits say little to root and on read-only file systems.
void check_writable(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (!fs::is_directory(folder))
    throw Error(fmt::format("the folder {} cannot be made: {}", folder.string(), failed ? failed.message() : "something else has its name"),
                "Choose another: --out DIR");
  auto name = (folder / ".callpath.XXXXXX").string();
  const int descriptor = mkstemp(name.data());
  if (descriptor < 0)
    throw Error(fmt::format("cannot write to the folder {}: {}", folder.string(), std::strerror(errno)), "Choose another: --out DIR");
  close(descriptor);
  unlink(name.c_str());
}

std::string write_pages(const Recording& recording, const Walkthrough& walk, const std::string& title, const std::string& verdict,
                        const std::string& language, const fs::path& out, const std::string& stem) {
  const auto base = (out / stem).lexically_normal().string();
  HtmlOptions page;
  page.language = language;
  page.title = title;
  page.by_hand_stages = walk.hand_commands;
  page.verdict = verdict;
  const auto text = html(recording, page);
  save(recording, base + ".json");
  write_file(base + ".html", text);
  return base;
}

std::string title_of(const Walkthrough& walk, const std::string& variant, const std::string& language) {
  auto title = fmt::format("{}  {}", walk.number, walk.title.in(language));
  return variant.empty() ? title : title + fmt::format(": {}", find_variant(walk, variant).title.in(language));
}

Recordings take_variants(const Walkthrough& walk, const Places& places, const std::string& python) {
  Recordings recordings;
  for (const auto& variant : walk.variants) {
    const auto route = variant.setting.stop.has_process() ? Route::Kind::process : Route::Kind::gdb;
    if (!lacking(route, walk, places, python).empty()) continue;
    const auto taken = take({&walk, places, python, variant.name, {}}, {route});
    if (variant.setting.stop.never) continue;
    if (!taken.reached())
      throw Error(fmt::format("variant {} of walkthrough {} did not reach its stop", variant.name, walk.number), taken.results[0].said);
    recordings[stem_of(walk, variant.name)] = *taken.results[0].recording;
  }
  return recordings;
}

}  // namespace callpath::cli
