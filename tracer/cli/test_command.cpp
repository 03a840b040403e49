#include <vector>

#include "cli/command.hpp"
#include "cli/places.hpp"
#include "cli/process.hpp"
#include "core/error.hpp"

namespace callpath::cli {
namespace {

void run_tests(const Context& context, bool long_runs, bool rooms, const std::vector<std::string>& filters) {
  const auto places = find_places(context);
  if (places.installed()) throw Error("tests run from the source folder only", "In a clone of callpath: ./callpath test");
  std::vector<std::string> command{"/bin/bash", (places.setup / "test.sh").string()};
  if (long_runs) command.push_back("--long");
  if (rooms) command.push_back("--rooms");
  command.insert(command.end(), filters.begin(), filters.end());
  become(command);
}

}  // namespace

void register_test(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("test", "Set up what is missing and run every test");
  static bool long_runs = false, rooms = false;
  static std::vector<std::string> filters;
  command->add_flag("--long", long_runs, "Also the long runs: stress, fuzzing, large corpora");
  command->add_flag("--rooms", rooms, "Here and in the room debian13, one after the other");
  command->add_option("FILTER", filters, "A word that test names must contain, or a path under tests/python");
  command->footer(
      "Ends with the line: N passed, N failed, N skipped. Exit status 1 if any failed.\n\n"
      "Examples:\n  callpath test\n  callpath test symbols\n  callpath test tests/python/test_cli_main.py\n"
      "  callpath test --room debian13 gdb    in that room alone\n");
  command->callback([&context] { run_tests(context, long_runs, rooms, filters); });
}

}  // namespace callpath::cli
