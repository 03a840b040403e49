#include "cli/command.hpp"
#include "cli/places.hpp"
#include "cli/process.hpp"

namespace callpath::cli {

void register_doctor(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("doctor", "Say what is present, what is missing and the command that brings it");
  command->footer("Changes nothing. Exit status 1 if something needed is missing.\n\nExample:\n  callpath doctor\n");
  command->callback([&context] { become({"/bin/bash", (find_places(context).setup / "doctor.sh").string()}); });
}

}  // namespace callpath::cli
