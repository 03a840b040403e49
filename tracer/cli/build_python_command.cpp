#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/places.hpp"
#include "cli/process.hpp"
#include "core/error.hpp"

namespace callpath::cli {

void register_build_python(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("build-python", "Build a CPython at -O0 from Debian's source, whose stacks hide no function");
  static std::string version;
  command->add_option("VERSION", version, "3.11 or 3.13; without: that of /usr/bin/python3");
  command->footer(
      "Takes one or two minutes; interrupted, it goes on where it stopped. Prints the interpreter's path, which --python takes.\n\n"
      "Example:\n  callpath build-python\n");
  command->callback([&context] {
    const auto places = find_places(context);
    if (places.installed()) throw Error("CPython is built in the source folder", "In a clone of callpath: ./callpath build-python");
    std::vector<std::string> line{"/bin/bash", (places.setup / "build_python.sh").string()};
    if (!version.empty()) line.push_back(version);
    become(line);
  });
}

}  // namespace callpath::cli
