// callpath annotate: completes a record that a producer wrote. Plumbing, used by the gdb scripts; kept out of the help's list.
#include <iostream>
#include <iterator>
#include <memory>

#include "annotate/annotate.hpp"
#include "cli/command.hpp"
#include "core/error.hpp"

namespace callpath::cli {
namespace {

struct Request {
  std::string record, output;
};

Recording read(const std::string& record) {
  if (record != "-") return load(record);
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  return from_json_text(text, "standard input");
}

void annotate_record(const Request& request) {
  Recording recording = read(request.record);
  annotate(recording);
  if (!request.output.empty()) return save(recording, request.output);
  std::cout << to_json_text(recording) << std::flush;
  if (!std::cout) throw Error("standard output: cannot write the record");
}

}  // namespace

void register_annotate(CLI::App& app, Context&) {
  auto request = std::make_shared<Request>();
  auto* command = app.add_subcommand("annotate", "Complete a record: layers, operations, facts, decisions");
  command->group("");
  command->add_option("record", request->record, "The record, a .json file; - reads standard input")->required()->type_name("REC.json");
  command->add_option("-o,--output", request->output, "Where to write; standard output if not given")->type_name("FILE");
  command->footer("Example:\n  callpath annotate raw.json -o complete.json");
  command->callback([request] { annotate_record(*request); });
}

}  // namespace callpath::cli
