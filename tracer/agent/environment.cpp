#include "agent/environment.hpp"

#include "agent/protocol.hpp"

namespace callpath::agent {
namespace {

constexpr char preload_variable[] = "LD_PRELOAD";

/// What follows "NAME=" in an entry, or null if it is another variable.
char* value_of(char* entry, const char* name) {
  while (*name && *entry == *name) ++entry, ++name;
  return *name == '\0' && *entry == '=' ? entry + 1 : nullptr;
}

int number(const char*& text) {
  int value = -1;
  for (; *text >= '0' && *text <= '9'; ++text) value = (value < 0 ? 0 : value) * 10 + (*text - '0');
  return value;
}

void remove(char** entry) {
  do entry[0] = entry[1];
  while (*entry++);
}

/// "AGENT:REST" becomes "REST"; false if there is no rest, not even an empty one.
bool drop_first(char* value) {
  char* rest = value;
  while (*rest && *rest != ':') ++rest;
  if (*rest != ':') return false;
  ++rest;
  do *value = *rest;
  while (++value, *rest++);
  return true;
}

}  // namespace

Descriptors descriptors(char** environment) {
  Descriptors found;
  for (char** entry = environment; entry && *entry; ++entry) {
    const char* value = value_of(*entry, fd_variable);
    if (!value) continue;
    found.memory = number(value);
    if (*value == ',') found.agent = number(++value);
  }
  return found;
}

void clean(char** environment) {
  for (char** entry = environment; entry && *entry;) {
    char* preload = value_of(*entry, preload_variable);
    bool ours = value_of(*entry, fd_variable) || (preload && !drop_first(preload));
    if (ours)
      remove(entry);
    else
      ++entry;
  }
}

}  // namespace callpath::agent
