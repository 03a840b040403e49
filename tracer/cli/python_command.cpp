#include "cli/python_command.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/places.hpp"
#include "cli/process.hpp"
#include "core/error.hpp"

namespace callpath::cli {
namespace {

bool asks_for_help(std::string_view argument) { return argument == "--help" || argument == "-h"; }

/// Position of the first argument that is Python's; takes `--python PATH` and one `--` off the front.
int first_of_pythons(int argc, char** argv, std::string& chosen) {
  int first = 2;
  if (first < argc && std::string_view(argv[first]) == "--python") {
    if (first + 1 == argc) throw Error("--python needs the path of an interpreter", "callpath python --python /usr/bin/python3 script.py");
    chosen = argv[first + 1];
    first += 2;
  }
  if (first < argc && std::string_view(argv[first]) == "--") ++first;
  return first;
}

}  // namespace

bool is_python_call(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "python") return false;
  return !(argc == 3 && asks_for_help(argv[2]));
}

void run_python(int argc, char** argv) {
  std::string chosen;
  const int first = first_of_pythons(argc, argv, chosen);
  std::vector<std::string> command{target_python(chosen)};
  command.insert(command.end(), argv + first, argv + argc);
  become(command, {{"PYTHONPATH", python_path(find_places(Context{0, false, argv[0]}))}});
}

void register_python(CLI::App& app, Context&) {
  auto* command = app.add_subcommand("python", "Start the target Python with `callpath` and `tensorlib` importable");
  command->prefix_command();
  command->add_option("--python", "Interpreter to start (default: the one of the build, or CALLPATH_PYTHON); must come first")
      ->type_name("PATH");
  command->footer(
      "All other arguments go to Python untouched, also -c, -m and options; Python's own help: callpath python -- --help\n\n"
      "Example:\n  callpath python -c 'import tensorlib as torch; print(torch.randn(2, 2)[:, 1]**3)'\n");
}

}  // namespace callpath::cli
