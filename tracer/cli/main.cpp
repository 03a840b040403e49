#include "cli/command_line.hpp"

int main(int argc, char** argv) { return callpath::cli::run_command_line(argc, argv); }
