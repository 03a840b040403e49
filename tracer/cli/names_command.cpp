// callpath names: names functions without symbols in a stopped process. Plumbing for the gdb scripts; kept out of the help's list.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command.hpp"
#include "core/error.hpp"
#include "session/name_stack.hpp"

namespace callpath::cli {
namespace {

struct Request {
  int pid = 0;
  std::vector<std::string> frames;
};

/// "0x7f00" is a return address, "0x7f00!" an instruction that is executed or was interrupted.
session::StackPoint parse(const std::string& text) {
  std::size_t used = 0;
  std::uint64_t address = 0;
  try {
    address = std::stoull(text, &used, 0);
  } catch (const std::exception&) {
    used = 0;
  }
  const bool exact = used == text.size() - 1 && text.back() == '!';
  if (!used || (used != text.size() && !exact))
    throw Error(fmt::format("{}: not an address", text), "Write 0x…, with ! behind it for the instruction itself.");
  return {{address}, exact};
}

void name_frames(const Request& request) {
  std::vector<session::StackPoint> stack;
  for (const auto& frame : request.frames) stack.push_back(parse(frame));
  auto rows = nlohmann::json::array();
  for (const auto& name : session::name_stack(request.pid, stack)) {
    if (name)
      rows.push_back({{"name", name->name}, {"full", name->full}, {"evidence", name->evidence}, {"confidence", "inferred"}});
    else
      rows.push_back(nullptr);
  }
  std::cout << rows.dump() << "\n" << std::flush;
}

}  // namespace

void register_names(CLI::App& app, Context&) {
  auto request = std::make_shared<Request>();
  auto* command = app.add_subcommand("names", "Name functions without symbols in a stopped process, as JSON");
  command->group("");
  command->add_option("--pid", request->pid, "The process; it must be stopped")->required()->check(CLI::PositiveNumber);
  command->add_option("frames", request->frames, "Program counters, innermost first; ! marks one that is no return address")->required();
  command->footer("Example:\n  callpath names --pid 4711 0x7f12a0b4c510! 0x7f12a0b4d013 0x7f12a0a00231");
  command->callback([request] { name_frames(*request); });
}

}  // namespace callpath::cli
