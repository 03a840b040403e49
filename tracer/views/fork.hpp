// Two paths as one trunk and a fork: what the text and the page of a diff show.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "annotate/compare.hpp"
#include "explain/story.hpp"

namespace callpath {

struct Fork {
  std::vector<Difference> differences;        ///< Empty: the same path.
  std::size_t trunk = 0;                      ///< Rows from the outside that are the same on both sides.
  std::size_t rejoined = 0;                   ///< And from the inside.
  const Decision *a = nullptr, *b = nullptr;  ///< The outermost decision that both made, and made differently.
  std::string facts_a, facts_b;               ///< What each side's rests on, where the two differ: "strides = {4, 8}  scalar".
};

Fork fork_of(const Story& a, const Story& b);

/// Facts and values of one side that the other has otherwise, or not.
std::set<const Fact*> differing_facts(const Event&, const Event& other);

/// One difference for people, each side on a line of its own ("A #4 basic_loop  Loops.h:89\nB …"), or one line for both.
std::string in_words(const Difference&, const Story& a, const Story& b);

/// "11 stages, the same on both sides"
std::string same_stages(std::size_t count, const std::string& language);

/// "They part here: is every stride equal to the element size, 4?"
std::string parting_question(const Fork&, const std::string& language);

}  // namespace callpath
