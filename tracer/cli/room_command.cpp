#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/places.hpp"
#include "cli/process.hpp"
#include "core/error.hpp"

namespace callpath::cli {
namespace {

void enter_room(const Context& context, const std::string& name, bool remove, const std::vector<std::string>& command) {
  const auto places = find_places(context);
  if (places.installed()) throw Error("rooms belong to the source folder", "In a clone of callpath: ./callpath room " + name);
  std::vector<std::string> line{"/bin/bash", (places.setup / "room.sh").string(), name};
  if (remove) line.push_back("--remove");
  line.insert(line.end(), command.begin(), command.end());
  become(line);
}

}  // namespace

void register_room(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("room", "Work in another Debian: a folder with this clone and a build of its own");
  static std::string name;
  static bool remove = false;
  static std::vector<std::string> inside;
  command->add_option("NAME", name, "debian12 or debian13")->required();
  command->add_flag("--remove", remove, "Remove the room with all that is in it");
  command->add_option("COMMAND", inside, "Run in the room, in the same folder; without: make the room and say what is in it");
  command->footer(
      "The room is made once, by debootstrap as root. Commands take it as --room NAME, right after walk, run, test or doctor.\n\n"
      "Examples:\n  callpath room debian13\n  callpath walk --room debian13 01\n  callpath room debian13 gdb --args python3 -B learn1.py\n"
      "  callpath room debian13 --remove\n");
  command->callback([&context] { enter_room(context, name, remove, inside); });
}

}  // namespace callpath::cli
