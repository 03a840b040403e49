// The whole command line as one function, so that tests can call it.
#pragma once

namespace callpath::cli {

/// Parses, runs the command and returns the process's exit status. Prints errors on standard error; throws nothing.
int run_command_line(int argc, char** argv);

}  // namespace callpath::cli
