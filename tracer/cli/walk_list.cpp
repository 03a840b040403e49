#include "cli/walk_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/walk_take.hpp"
#include "core/error.hpp"

namespace callpath::cli {
namespace {

struct Track {
  const char *word, *en, *zh;
};
constexpr Track all_tracks[] = {
    {"start", "Start", "起点"},
    {"down", "Down: from a line of Python to the code that does the work", "向下：从一行 Python 到真正干活的代码"},
    {"back", "Back in time: running, then building the class, then compiling", "往回走：运行，然后构建类，然后编译"},
    {"elsewhere", "Elsewhere: other libraries, and your own", "别处：其他库，和你自己的"},
};

void print_one(const Walkthrough& walk, const Places& places, const std::string& python, const std::string& language) {
  fmt::print("  {}  {}\n      {}\n", walk.number, walk.title.in(language), walk.asks.in(language));
  const auto missing = lacking_for({Route::Kind::process, Route::Kind::gdb}, walk, places, python);
  if (missing.empty()) fmt::print("      Everything it needs is here: callpath walk {}\n", walk.number);
  for (const auto& what : missing) fmt::print("      Missing: {}\n", what);
  if (!missing.empty() && lacking_for({Route::Kind::process}, walk, places, python).empty())
    fmt::print("      Without it: callpath walk {} --route process\n", walk.number);
}

}  // namespace

const std::vector<std::string> tracks = {"start", "down", "back", "elsewhere"};

std::string track_title(const std::string& track, const std::string& language) {
  for (const auto& one : all_tracks)
    if (one.word == track) return language == "zh" ? one.zh : one.en;
  throw Error(fmt::format("there is no track '{}'", track), fmt::format("The tracks are {}.", fmt::join(tracks, ", ")));
}

void print_list(const Places& places, const std::string& python, const std::string& language) {
  const auto walks = read_walkthroughs(places.walkthroughs);
  fmt::print("{}\n", language == "zh" ? "导览" : "Walkthroughs");
  for (const auto& walk : walks) track_title(walk.track, language);  // An unknown one is not left out.
  for (const auto& track : tracks) {
    if (std::none_of(walks.begin(), walks.end(), [&](const Walkthrough& walk) { return walk.track == track; })) continue;
    fmt::print("\n{}\n", track_title(track, language));
    for (const auto& walk : walks)
      if (walk.track == track) print_one(walk, places, python, language);
  }
  fmt::print(
      "\n  callpath walk NN         take one\n  callpath walk all        take all, with an index page\n"
      "  callpath teach NN        step by step\n");
}

void print_variants(const Walkthrough& walk, const std::string& language) {
  fmt::print("{}  {}: other outcomes\n\n", walk.number, walk.title.in(language));
  for (const auto& [name, title, setting, differs] : walk.variants) {
    fmt::print("  {:<14} {}\n", name, title.in(language));
    if (!setting.line.empty()) fmt::print("  {:<14} {}\n", "", setting.line);
    for (const auto& [variable, value] : setting.environment)
      if (!walk.setting.environment.contains(variable)) fmt::print("  {:<14} {}={}\n", "", variable, value);
  }
  fmt::print("\n  callpath walk {0} --variant {1}\n  callpath walk {0} --variant all     all of them, linked from the page's questions\n",
             walk.number, walk.variants.empty() ? "NAME" : walk.variants.front().name);
}

}  // namespace callpath::cli
