#include "agent/operators.hpp"

#include "agent/no_signals.hpp"
#include "agent/trap.hpp"

namespace callpath::agent {
bool glob_matches(const char* glob, const char* text) {
  const char *star = nullptr, *from = nullptr;
  while (*text) {
    if (*glob == '*') {
      star = glob++;
      from = text;
    } else if (*glob == '?' || *glob == *text) {
      ++glob, ++text;
    } else if (star) {
      glob = star + 1;
      text = ++from;
    } else {
      return false;
    }
  }
  while (*glob == '*') ++glob;
  return *glob == '\0';
}

void on_operator(const char* name) {
  if (!wants_operator(name)) return;
  NoSignals none;
  stop_at_operator(name);
}

}  // namespace callpath::agent
