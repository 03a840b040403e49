#include "cli/walk_all.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "annotate/compare.hpp"
#include "cli/complain.hpp"
#include "cli/index_page.hpp"
#include "cli/walk_write.hpp"
#include "core/error.hpp"

namespace fs = std::filesystem;

namespace callpath::cli {
namespace {

/// Recordings that were checked when the lesson was written, for a machine on which it cannot run.
Recordings checked_recordings(const Walkthrough& walk) {
  Recordings recordings;
  if (fs::exists(walk.recording({}))) recordings[stem_of(walk, {})] = load(walk.recording({}).string());
  for (const auto& variant : walk.variants)
    if (fs::exists(walk.recording(variant.name))) recordings[stem_of(walk, variant.name)] = load(walk.recording(variant.name).string());
  return recordings;
}

struct Outcome {
  Recordings recordings;
  std::string verdict, trouble;
  int code = ok;
};

/// By both routes where both can run.
Outcome take_own(const Trip& trip, std::vector<Route::Kind> routes) {
  auto taken = take(trip, routes);
  Outcome outcome;
  if (!taken.reached()) {
    outcome.code = not_reached;
    for (std::size_t i = 0; i < taken.results.size(); ++i)
      if (!taken.results[i].recording || taken.results[i].recording->events.empty())
        outcome.trouble += fmt::format("the {} route did not reach the stop\n{}", taken.names[i], taken.results[i].said);
    return outcome;
  }
  auto& own = *taken.results[0].recording;
  if (taken.results.size() == 2) {
    const auto& other = *taken.results[1].recording;
    if (!compare_paths(own.events[0], own, other.events[0], other).empty())
      return {{}, {}, "the two routes tell different paths\n", differ};
    outcome.verdict = "The same path by both routes";
  }
  outcome.recordings[stem_of(*trip.walk, {})] = std::move(own);
  return outcome;
}

Outcome take_whole(const Trip& trip, const std::string& route) {
  const auto& walk = *trip.walk;
  auto routes = routes_of(trip, route);
  if (route == "both" && !lacking_for(routes, walk, trip.places, trip.python).empty()) routes = {Route::Kind::process};
  if (const auto missing = lacking_for(routes, walk, trip.places, trip.python); !missing.empty())
    return {checked_recordings(walk), {}, fmt::format("cannot run here: {}\n", fmt::join(missing, "; ")), ok};
  auto outcome = take_own(trip, routes);
  if (outcome.code != ok) return outcome;
  outcome.recordings.merge(take_variants(walk, trip.places, trip.python));
  return outcome;
}

}  // namespace

int walk_all(const AllRequest& request, const Context& context) {
  const auto places = find_places(context);
  const auto walks = read_walkthroughs(places.walkthroughs);
  const auto python = target_python(request.python);
  check_writable(request.out);
  wait_through_interrupts();
  std::vector<IndexEntry> entries;
  int code = ok;
  for (const auto& walk : walks) {
    auto outcome = take_whole({&walk, places, python, {}, {}}, request.route);
    if (outcome.code != ok) code = outcome.code;
    if (!outcome.trouble.empty()) complain("callpath: walkthrough {}: {}", walk.number, outcome.trouble);
    link(outcome.recordings);
    IndexEntry entry{&walk, {}, {}, outcome.trouble.empty()};
    auto write = [&](const std::string& variant) {
      const auto found = outcome.recordings.find(stem_of(walk, variant));
      if (found == outcome.recordings.end()) return;
      write_pages(found->second, walk, title_of(walk, variant, request.language), variant.empty() ? outcome.verdict : "", request.language,
                  request.out, found->first);
      if (variant.empty())
        entry.page = found->first + ".html";
      else
        entry.variants.push_back({find_variant(walk, variant).title.in(request.language), found->first + ".html"});
    };
    write({});
    for (const auto& variant : walk.variants) write(variant.name);
    fmt::print("{}  {}: {} reports\n", walk.number, walk.title.in(request.language), outcome.recordings.size());
    std::fflush(stdout);
    entries.push_back(std::move(entry));
  }
  write_index(entries, request.language, request.out);
  fmt::print("Wrote {}\n", (request.out / "index.html").lexically_normal().string());
  return code;
}

}  // namespace callpath::cli
