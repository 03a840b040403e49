// How a command joins the command line: one file a command, each with a `register_...` function that main.cpp calls.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace callpath::cli {

/// What all commands share. A command sets `exit_code` in its callback; an Error thrown from it is printed by main and gives exit code 1.
struct Context {
  int exit_code = 0;
  bool no_color = false;      ///< --no-color, NO_COLOR, or standard output is not a terminal.
  std::string program;        ///< Path of the running callpath binary.
};

/// Exit codes, the same for every command: 0 done; 1 an error that was explained; 2 wrong command line; 3 the stop was not reached; 4 the two routes differ.
/// `run` gives the script's own exit status when the recording was made.
enum ExitCode : int { ok = 0, failed = 1, usage = 2, not_reached = 3, differ = 4 };

void register_run(CLI::App&, Context&);       // run_command.cpp
void register_python(CLI::App&, Context&);    // python_command.cpp
void register_annotate(CLI::App&, Context&);  // annotate_command.cpp (plumbing, hidden from the help's list)
void register_names(CLI::App&, Context&);     // names_command.cpp (plumbing, too)
void register_attach(CLI::App&, Context&);    // attach_command.cpp (plumbing of callpath.record, hidden from the help's list)
void register_report(CLI::App&, Context&);    // report_command.cpp
void register_diff(CLI::App&, Context&);      // diff_command.cpp
void register_walk(CLI::App&, Context&);      // walk_command.cpp
void register_teach(CLI::App&, Context&);     // teach_command.cpp
void register_doctor(CLI::App&, Context&);    // doctor_command.cpp
void register_bench(CLI::App&, Context&);     // bench_command.cpp
void register_test(CLI::App&, Context&);       // test_command.cpp
void register_room(CLI::App&, Context&);       // room_command.cpp
void register_build_python(CLI::App&, Context&);  // build_python_command.cpp

}  // namespace callpath::cli
