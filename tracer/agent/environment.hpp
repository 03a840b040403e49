// Reading and removing what the session put into the environment. No libc; runs before the program's main.
#pragma once

namespace callpath::agent {

/// The descriptors from `fd_variable`; -1 where absent.
struct Descriptors {
  int memory = -1, agent = -1;
};
Descriptors descriptors(char** environment);

/// Takes out `fd_variable` and the first entry of LD_PRELOAD, in place: what the user had there stays, and nothing if they had nothing.
void clean(char** environment);

}  // namespace callpath::agent
