// callpath report: a record as text or as a page.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include "annotate/annotate.hpp"
#include "cli/command.hpp"
#include "cli/notes_option.hpp"
#include "core/error.hpp"
#include "explain/stable.hpp"
#include "record/write_file.hpp"
#include "views/html.hpp"
#include "views/markdown.hpp"
#include "views/profiles.hpp"
#include "views/svg.hpp"
#include "views/terminal.hpp"

namespace callpath::cli {
namespace {

struct Request {
  std::vector<std::string> notes;
  std::string record, format = "text", output, language = "en";
  int width = 0, event = 1;
  bool full = false, by_hand = false, stable = false, annotate = false;
};

Recording read(const std::string& record) {
  if (record != "-") return load(record);
  std::string text(std::istreambuf_iterator<char>(std::cin), {});
  return from_json_text(text, "standard input");
}

std::size_t event_of(const Request& request) {
  if (request.event < 1) throw Error(fmt::format("--event {}: events are counted from 1", request.event));
  return static_cast<std::size_t>(request.event - 1);
}

std::string as_text(const Recording& recording, const Request& request, const Notes* notes, bool no_color) {
  auto options = terminal_options_from_environment(no_color || !request.output.empty());
  if (!request.output.empty()) options.utf8 = true, options.width = 100;
  if (request.width > 0) options.width = request.width;
  options.full = request.full;
  options.by_hand = request.by_hand;
  options.language = request.language;
  options.notes = notes;
  options.gdb_order = request.format == "bt";
  return terminal(recording, event_of(request), options);
}

/// The forms that show all events are written one event after the other.
void write_report(std::ostream& out, const Recording& recording, const Request& request, const Notes* notes, bool no_color) {
  HtmlOptions page;
  page.language = request.language;
  page.present = request.format == "present";
  page.notes = notes;
  if (request.format == "html" || request.format == "present")
    write_html(out, recording, page);
  else if (request.format == "markdown")
    write_markdown(out, recording, page);
  else if (request.format == "svg")
    out << svg(recording, event_of(request), page);
  else if (request.format == "collapsed")
    write_collapsed(out, recording);
  else if (request.format == "speedscope")
    write_speedscope(out, recording);
  else if (request.format == "perfetto")
    write_perfetto(out, recording);
  else
    out << as_text(recording, request, notes, no_color);
}

void report(const Request& request, bool no_color) {
  Recording recording = read(request.record);
  if (request.annotate) annotate(recording);
  const auto own_notes = read_notes(request.notes);
  const auto* notes = own_notes ? &*own_notes : nullptr;
  if (request.stable) recording = stable(std::move(recording));
  if (!request.output.empty())
    return write_file(request.output, [&](std::ostream& out) { write_report(out, recording, request, notes, no_color); });
  write_report(std::cout, recording, request, notes, no_color);
  std::cout << std::flush;
  if (!std::cout) throw Error("standard output: cannot write the report");
}

}  // namespace

void register_report(CLI::App& app, Context& context) {
  auto request = std::make_shared<Request>();
  auto* command = app.add_subcommand("report", "Show a record: as text, as a page, or as gdb counts");
  command->add_option("record", request->record, "The record, a .json file; - reads standard input")->required()->type_name("REC.json");
  command
      ->add_option("--format", request->format,
                   "text (called first on top), bt (#0 first); html (one file that stands alone), present (the same, one stage a step), "
                   "markdown, svg (one event's picture); for recordings of many events collapsed, speedscope, perfetto")
      ->check(CLI::IsMember({"text", "bt", "html", "present", "markdown", "svg", "collapsed", "speedscope", "perfetto"}))
      ->type_name("FORMAT");
  command->add_option("-o,--output", request->output, "Where to write; standard output if not given")->type_name("FILE");
  command->add_flag("--full", request->full, "Every frame (text, bt)");
  command->add_flag("--by-hand", request->by_hand, "Under each stage the plain gdb commands that show it (text, bt)");
  add_notes_option(*command, request->notes);
  command->add_flag("--stable", request->stable, "Without what differs from run to run: two captures of one stop give the same bytes");
  command->add_option("--lang", request->language, "en or zh")->check(CLI::IsMember({"en", "zh"}))->type_name("LANG");
  command->add_option("--width", request->width, "Columns, 40 to 120; the terminal's if not given, 100 when piped")
      ->check(CLI::Range(40, 120))
      ->type_name("N");
  command->add_option("--event", request->event, "Which event of the record (text, bt, svg), from 1")->type_name("N");
  command->add_flag("--annotate", request->annotate, "Complete the record first, as callpath annotate does")->group("");
  command->footer("Example:\n  callpath report 01_pow_kernel.json --format html -o 01_pow_kernel.html");
  command->callback([request, &context] { report(*request, context.no_color); });
}

}  // namespace callpath::cli
