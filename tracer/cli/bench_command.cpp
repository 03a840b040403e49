#include <vector>

#include "cli/command.hpp"
#include "cli/places.hpp"
#include "cli/process.hpp"
#include "core/error.hpp"

namespace callpath::cli {
namespace {

void run_benchmarks(const Context& context, const std::string& json, bool list, const std::vector<std::string>& names) {
  const auto places = find_places(context);
  if (places.installed()) throw Error("benchmarks run from the source folder only", "In a clone of callpath: ./callpath bench");
  std::vector<std::string> command{target_python(), "-I", (places.source / "tests/bench/run.py").string()};
  if (list) command.push_back("--list");
  if (!json.empty()) command.insert(command.end(), {"--json", json});
  command.insert(command.end(), names.begin(), names.end());
  become(command);
}

}  // namespace

void register_bench(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("bench", "Measure callpath against its rivals, each in the same run");
  static std::string json;
  static bool list = false;
  static std::vector<std::string> names;
  command->add_option("NAME", names, "Benchmarks to run (default: all)");
  command->add_option("--json", json, "Also write the rows to a file")->type_name("FILE");
  command->add_flag("--list", list, "Name the benchmarks there are");
  command->footer(
      "A row: name, unit, ours, rival, the rival's figure, ratio (above 1: ours is better), target, whether it is met.\n"
      "Rivals that are not installed are named as skipped.\n\n"
      "Examples:\n  callpath bench\n  callpath bench walk_process --json walk.json\n");
  command->callback([&context] { run_benchmarks(context, json, list, names); });
}

}  // namespace callpath::cli
