// Taking one walkthrough by one route: in the process, or under gdb. Each ends with a record, or with why there is none.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/places.hpp"
#include "cli/process.hpp"
#include "cli/walkthrough.hpp"
#include "record/record.hpp"

namespace callpath::cli {

/// A folder under TMPDIR that goes when this goes.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// What both routes are given: one program, one stop.
struct Itinerary {
  const Walkthrough* walk = nullptr;
  Places places;
  std::string python;
  std::string variant;   ///< Empty: the walkthrough's own.
  Setting setting;       ///< Its program is the walkthrough's own, or a copy with another line, under the same file name.
  std::string packages;  ///< In front on PYTHONPATH: copies of our packages with lines put in; empty if there are none.
};

/// A copy of the program with its line replaced, written to `folder` under the program's name.
std::filesystem::path program_with_line(const std::filesystem::path& program, int number, const std::string& line,
                                        const std::filesystem::path& folder);

/// A folder under `folder` with our packages as they are, but for the files with lines put in.
std::filesystem::path packages_with(const std::vector<Edit>&, const Places&, const std::filesystem::path& folder);

/// A route under way.
class Route {
 public:
  enum class Kind { process, gdb };
  /// Starts it. The record is written to a file in `scratch`, which must outlive this.
  Route(Kind, const Itinerary&, const std::filesystem::path& scratch);

  struct Result {
    std::optional<Recording> recording;
    int status = 0;       ///< Exit status of the route's program.
    std::string printed;  ///< What the program wrote to its output.
    std::string said;     ///< What the route had to say.
  };
  /// Waits for its end. Throws Error only for faults of the machinery; a stop that was not reached is a result without a recording.
  Result wait();
  const char* name() const { return kind_ == Kind::process ? "process" : "gdb"; }

 private:
  Kind kind_;
  std::filesystem::path record_;
  std::unique_ptr<Child> child_;
};

/// What a route needs and this machine lacks, as "what is missing: the command that brings it"; empty if all is there.
std::vector<std::string> lacking(Route::Kind, const Walkthrough&, const Places&, const std::string& python);

}  // namespace callpath::cli
