#include "cli/command_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>

#include "cli/command.hpp"
#include "cli/complain.hpp"
#include "cli/nearest.hpp"
#include "cli/places.hpp"
#include "cli/python_command.hpp"
#include "core/error.hpp"

namespace callpath::cli {
namespace {

constexpr const char* example = R"(Examples:
  callpath walk            the walkthroughs there are
  callpath walk 01         take the first: from X[:, 1]**3 to the C++ line that computes it
  callpath run --at '*pow_tensor_scalar*}::operator()*' --if 'exp == 3' -o path.json my_script.py
  callpath report path.json --format html -o path.html
)";

bool colour_is_off() {
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color && *no_color) || !isatty(STDOUT_FILENO);
}

void register_commands(CLI::App& app, Context& context) {
  register_walk(app, context);
  register_teach(app, context);
  register_run(app, context);
  register_report(app, context);
  register_diff(app, context);
  register_python(app, context);
  register_annotate(app, context);
  register_names(app, context);
  register_attach(app, context);
  register_doctor(app, context);
  register_test(app, context);
  register_bench(app, context);
  register_room(app, context);
  register_build_python(app, context);
}

std::vector<std::string> visible_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands([](const CLI::App* c) { return !c->get_group().empty(); }))
    names.push_back(command->get_name());
  return names;
}

/// A word where a command should stand and none does; null if all is well.
const char* unknown_command(const CLI::App& app, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == '-') continue;
    const auto named = app.get_subcommands([&](const CLI::App* c) { return c->get_name() == argv[i]; });
    return named.empty() ? argv[i] : nullptr;
  }
  return nullptr;
}

int reject(const CLI::App& app, const char* word) {
  const auto likely = nearest_word(word, visible_commands(app));
  complain("callpath: there is no command '{}'.{}\n", word, likely.empty() ? "" : fmt::format(" Did you mean '{}'?", likely));
  complain("  callpath --help lists them.\n");
  return ExitCode::usage;
}

/// CLI11's own error, in our form; --help and --version come this way too and are no errors.
int explain(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  complain("callpath: {}\n", error.what());
  const CLI::App* command = &app;
  for (const auto* chosen : app.get_subcommands()) command = chosen;
  complain("  {}{} --help says what is possible.\n", command == &app ? "" : "callpath ", command->get_name());
  return ExitCode::usage;
}

int parse_and_run(int argc, char** argv) {
  Context context{0, colour_is_off(), argv[0]};
  CLI::App app{"What happens, frame by frame, between a line of Python and the C++ that runs it.", "callpath"};
  app.set_version_flag("--version", "callpath " + version(), "Print the version");
  app.add_flag("--no-color", context.no_color, "No colours (as with NO_COLOR, or when the output is not a terminal)");
  app.footer(example);
  app.fallthrough();
  app.require_subcommand(0, 1);
  register_commands(app, context);
  app.set_help_flag("-h,--help", "Print this help; every command has its own");
  if (const char* word = unknown_command(app, argc, argv)) return reject(app, word);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return explain(app, error);
  }
  if (app.get_subcommands().empty()) fmt::print("{}", app.help());
  return context.exit_code;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  prepare_standard_streams();
  try {
    if (is_python_call(argc, argv)) run_python(argc, argv);
    return parse_and_run(argc, argv);
  } catch (const Error& error) {
    complain("callpath: {}\n", error.what());
    if (!error.mend().empty()) complain("  {}\n", error.mend());
  } catch (const std::exception& error) {
    complain("callpath: internal error: {}\n", error.what());
  }
  return ExitCode::failed;
}

}  // namespace callpath::cli
