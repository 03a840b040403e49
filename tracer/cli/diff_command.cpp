// callpath diff: two records as one trunk and a fork.
#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "cli/command.hpp"
#include "cli/notes_option.hpp"
#include "core/error.hpp"
#include "explain/names.hpp"
#include "record/write_file.hpp"
#include "views/diff.hpp"
#include "views/diff_html.hpp"

namespace callpath::cli {
namespace {

struct Request {
  std::vector<std::string> notes;
  std::string a, b, language = "en", format = "text", output;
  int width = 0, event_a = 1, event_b = 1;
};

std::size_t index(int event) {
  if (event < 1) throw Error(fmt::format("event {}: events are counted from 1", event));
  return static_cast<std::size_t>(event - 1);
}

std::string name(const std::string& path) {
  auto file = file_name(path);
  return file.ends_with(".json") ? file.substr(0, file.size() - 5) : file;
}

std::string as_text(const Recording& a, const Recording& b, const Request& request, const DiffNames& names, const Notes* notes,
                    bool no_color) {
  auto options = terminal_options_from_environment(no_color || !request.output.empty());
  if (!request.output.empty()) options.utf8 = true, options.width = 100;
  if (request.width > 0) options.width = request.width;
  options.language = request.language;
  options.notes = notes;
  return diff(a, index(request.event_a), b, index(request.event_b), options, names);
}

std::string as_page(const Recording& a, const Recording& b, const Request& request, const DiffNames& names, const Notes* notes) {
  HtmlOptions options;
  options.language = request.language;
  options.notes = notes;
  return diff_html(a, index(request.event_a), b, index(request.event_b), options, names);
}

void show(const Request& request, Context& context) {
  auto a = load(request.a), b = load(request.b);
  const auto own_notes = read_notes(request.notes);
  const auto* notes = own_notes ? &*own_notes : nullptr;
  const DiffNames names{name(request.a), name(request.b)};
  const auto text =
      request.format == "html" ? as_page(a, b, request, names, notes) : as_text(a, b, request, names, notes, context.no_color);
  if (request.output.empty())
    std::cout << text << std::flush;
  else
    write_file(request.output, text);
  if (request.output.empty() && !std::cout) throw Error("standard output: cannot write the difference");
  context.exit_code = same_path(a, index(request.event_a), b, index(request.event_b)) ? ok : differ;
}

}  // namespace

void register_diff(CLI::App& app, Context& context) {
  auto request = std::make_shared<Request>();
  auto* command = app.add_subcommand("diff", "Where the paths of two records part");
  command->add_option("a", request->a, "A record")->required()->type_name("A.json");
  command->add_option("b", request->b, "The other record")->required()->type_name("B.json");
  command->add_option("--format", request->format, "text, or html (one file that stands alone)")
      ->check(CLI::IsMember({"text", "html"}))
      ->type_name("FORMAT");
  command->add_option("-o,--output", request->output, "Where to write; standard output if not given")->type_name("FILE");
  command->add_option("--event-a", request->event_a, "Which event of A, from 1")->type_name("N");
  command->add_option("--event-b", request->event_b, "Which event of B, from 1")->type_name("N");
  add_notes_option(*command, request->notes);
  command->add_option("--lang", request->language, "en or zh")->check(CLI::IsMember({"en", "zh"}))->type_name("LANG");
  command->add_option("--width", request->width, "Columns, 40 to 120; the terminal's if not given, 100 when piped")
      ->check(CLI::Range(40, 120))
      ->type_name("N");
  command->footer(
      "Exit status: 0 the paths are the same; 4 they differ; 1 an error that was explained.\n\nExample:\n  callpath diff "
      "01_pow_kernel.json 01_contiguous.json\n  callpath diff 01_pow_kernel.json 01_contiguous.json --format html -o 01_diff.html");
  command->callback([request, &context] { show(*request, context); });
}

}  // namespace callpath::cli
