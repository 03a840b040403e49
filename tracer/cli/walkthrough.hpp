// A walkthrough's data: walkthroughs/NN_name/walk.toml, as walkthroughs/README.md describes it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "views/terminal.hpp"

namespace callpath::cli {

/// The same program with another line, environment or condition, for another outcome.
struct Variant {
  std::string name, title;
  std::string line;                      ///< Replaces the program's line; empty: it stays.
  std::optional<std::string> condition;  ///< Of the walkthrough's stop if not given.
  std::map<std::string, std::string> environment;
  std::string differs;  ///< Id of the decision whose answer differs.
};

struct Walkthrough {
  std::filesystem::path folder;
  std::string number, title, asks;
  std::filesystem::path program, drive, by_hand;  ///< Absolute.
  std::vector<std::string> process_needs, gdb_needs;
  std::string probe, condition;
  int line = 0;             ///< The line that --line replaces.
  std::string line_prefix;  ///< Put before CODE unless CODE assigns to a name itself.
  std::vector<Variant> variants;
  std::vector<ByHand> hand_commands;

  std::string name() const { return folder.filename().string(); }  ///< "01_pow_kernel"
};

/// All walkthroughs of a folder, by number. Throws Error, naming the file and what is wrong in it.
std::vector<Walkthrough> read_walkthroughs(const std::filesystem::path& folder);

/// The one a user means by "01", "1" or "01_pow_kernel"; throws Error that names those there are.
const Walkthrough& find_walkthrough(const std::vector<Walkthrough>&, const std::string& wanted);

/// A variant by name; throws Error that names those there are.
const Variant& find_variant(const Walkthrough&, const std::string& wanted);

/// The line that stands in the program for a learner's CODE: as it is if it assigns to a name, else with `prefix` before it.
std::string line_for(const std::string& code, const std::string& prefix);

/// "exp == 3" for the number written after the last `**`; empty if there is none.
std::string condition_for(const std::string& code);

}  // namespace callpath::cli
