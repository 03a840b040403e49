// A walkthrough's data: walkthroughs/NN_name/walk.toml, as walkthroughs/README.md describes it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/questions.hpp"
#include "views/terminal.hpp"

namespace callpath::cli {

/// Where the process route stops; the gdb route's steps are read by walkthroughs/drive.py, only whether there are any is told here.
struct Stop {
  std::string at, events;  ///< `callpath run --at` or `--events`; neither: there is no process route.
  std::string condition;
  int limit = 1;
  bool has_gdb = false;
  bool has_process() const { return !at.empty() || !events.empty(); }
  bool never = false;  ///< That it is not reached is what the variant shows.
};

/// Lines put into a copy of a file of our packages: what a reader would do to the file itself.
struct Edit {
  std::string file;    ///< "tensorlib/_tensor.py"
  std::string after;   ///< Regular expression that one line matches.
  std::string insert;  ///< Lines.
};

/// How the program is run, and where it is stopped.
struct Setting {
  std::filesystem::path program;  ///< Absolute.
  std::string line;               ///< Replaces the program's line; empty: it stays.
  Stop stop;
  std::map<std::string, std::string> environment;
  std::vector<std::string> python;      ///< Options of the interpreter.
  std::optional<std::string> terminal;  ///< Input and output are a terminal at which this was typed.
  std::vector<Edit> edits;
};

/// Another outcome.
struct Variant {
  std::string name;
  Text title;
  Setting setting;
  std::string differs;  ///< Id of the decision whose answer differs; may be empty.
};

/// The line that --line replaces.
struct OwnLine {
  int number = 0;  ///< 0: the walkthrough takes no --line.
  std::string prefix, pattern, condition;
};

struct Beside {
  std::filesystem::path program;
  Text title;
};

struct Walkthrough {
  std::filesystem::path folder;
  std::string number, track;
  Text title, asks;
  std::filesystem::path by_hand;
  std::vector<std::string> process_needs, gdb_needs;
  Setting setting;
  OwnLine line;
  std::vector<Variant> variants;
  std::vector<Question> questions, transfer;
  std::vector<ByHand> hand_commands;
  std::optional<Beside> beside;

  std::string name() const { return folder.filename().string(); }  ///< "01_pow_kernel"
  std::filesystem::path lesson(const std::string& language) const { return folder / (language == "zh" ? "lesson.zh.md" : "lesson.md"); }
  /// The checked recording of a variant; of the walkthrough itself if the name is empty.
  std::filesystem::path recording(const std::string& variant) const {
    return folder / "recordings" / ((variant.empty() ? "main" : variant) + ".json");
  }
};

/// All walkthroughs of a folder, by number. Throws Error, naming the file and what is wrong in it.
std::vector<Walkthrough> read_walkthroughs(const std::filesystem::path& folder);

/// The one a user means by "01", "1" or "01_pow_kernel"; throws Error that names those there are.
const Walkthrough& find_walkthrough(const std::vector<Walkthrough>&, const std::string& wanted);

/// A variant by name; throws Error that names those there are.
const Variant& find_variant(const Walkthrough&, const std::string& wanted);

/// The line that stands in the program for a learner's CODE: as it is if it assigns to a name, else with the prefix before it.
std::string line_for(const std::string& code, const OwnLine&);

/// "exp == 3" for what the line's pattern finds last in CODE; empty if it is not found, or there is no pattern.
std::string condition_for(const std::string& code, const OwnLine&);

}  // namespace callpath::cli
