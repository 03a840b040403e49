// A path as text. Pure: text in the terminal's encoding out, no terminal is asked.
#pragma once

#include <string>
#include <vector>

#include "explain/story.hpp"
#include "record/record.hpp"

namespace callpath {

enum class Colour { none, basic, full };  ///< basic: the 16 colours of the terminal; full: 24 bits.

/// Plain gdb commands of a stage, as walkthroughs give them; {frame} is the number of the stage's key frame.
struct ByHand {
  std::string layer;
  std::string function;  ///< Regular expression searched in the key frame's full name; empty: any.
  std::vector<std::string> commands;
};

struct TerminalOptions {
  int width = 100;  ///< Columns, brought into 72..120 unless smaller: from 40.
  Colour colour = Colour::none;
  bool dark = true;                    ///< The terminal's ground, for 24-bit colours.
  bool utf8 = true;                    ///< False: ASCII for everything that callpath draws; names stay as they are.
  bool full = false;                   ///< Every frame.
  bool gdb_order = false;              ///< #0 first.
  bool by_hand = false;                ///< Under each stage the gdb commands that show it.
  std::vector<ByHand> by_hand_stages;  ///< First match wins; stages without one get `frame N` and what goes with it.
  std::string language = "en";
  std::string title;               ///< "01  The line to the lambda"; empty: from where to where.
  std::string verdict;             ///< Before the totals: "The same path by both routes"; may be empty.
  std::vector<std::string> hints;  ///< Lines after the totals.
  std::vector<std::string> wrote;  ///< Last lines.
  const Notes* notes = nullptr;    ///< The built-in catalogue if not given.
};

/// The whole form, ending in a newline. Throws Error if there is no such event.
std::string terminal(const Recording&, std::size_t event, const TerminalOptions&);

/// Colour and encoding that suit the environment: COLORTERM, TERM, NO_COLOR, LC_ALL/LC_CTYPE/LANG, whether standard output is a terminal,
/// its width.
TerminalOptions terminal_options_from_environment(bool no_color);

/// The commands of a stage, braces filled.
std::vector<std::string> by_hand_commands(const Row&, const Event&, const std::vector<ByHand>&);

}  // namespace callpath
