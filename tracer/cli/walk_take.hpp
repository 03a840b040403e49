// Taking a walkthrough or one of its variants, and what its recordings say of each other.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/walk_routes.hpp"

namespace callpath::cli {

/// Ctrl+C reaches the routes as well, being in our group; we wait for their end, tidy up and say so.
void wait_through_interrupts();
/// Throws Error if one came.
void check_interrupted();

/// What is to be taken.
struct Trip {
  const Walkthrough* walk = nullptr;
  Places places;
  std::string python;
  std::string variant, line;  ///< At most one of them.
};

/// How its program is run, before --line.
const Setting& setting_of(const Trip&);

/// The routes of "process", "gdb" or "both" that this variant has.
std::vector<Route::Kind> routes_of(const Trip&, const std::string& route);

struct Taken {
  std::vector<Route::Result> results;  ///< In the order of `names`.
  std::vector<std::string> names;
  bool reached() const;  ///< Every route has a recording with an event.
};

/// All routes at once: each is mostly one busy thread. Throws Error if --line is no Python.
Taken take(const Trip&, const std::vector<Route::Kind>& routes);

/// What the routes need and this machine lacks, each once.
std::vector<std::string> lacking_for(const std::vector<Route::Kind>& routes, const Walkthrough&, const Places&, const std::string& python);

/// Recordings of one walkthrough by the stem of their files, "01_pow_kernel-contiguous".
using Recordings = std::map<std::string, Recording>;

/// Each decision is told in which of the others another option was taken.
void link(Recordings&);

/// The stem of a variant's files.
std::string stem_of(const Walkthrough&, const std::string& variant);

}  // namespace callpath::cli
