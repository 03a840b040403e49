// callpath attach: the session of a program that runs already and asks for it. Plumbing of callpath.record in Python, whose child this is;
// kept out of the help's list. It speaks lines on standard output: "memory FD", "probes N", "recorded N WHY" (why there are
// none), each once; "error TEXT" ends it.
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <memory>

#include "annotate/annotate.hpp"
#include "cli/command.hpp"
#include "core/error.hpp"
#include "session/session.hpp"

namespace callpath::cli {
namespace {

struct Request {
  std::vector<std::string> at;
  std::string condition, events, output;
  int pid = 0, limit = 1;
};

void say(const std::string& line) { std::cout << line << std::endl; }

/// Texts of several lines would be taken for several answers.
std::string in_one_line(std::string text) {
  for (auto& c : text)
    if (c == '\n') c = ' ';
  return text;
}

std::string why_nothing(const Request& request, const session::Outcome& outcome) {
  std::string asked;
  for (const auto& at : request.at) asked += fmt::format("{}'{}'", asked.empty() ? "" : ", ", at);
  if (!request.events.empty()) asked += fmt::format("{}events '{}'", asked.empty() ? "" : ", ", request.events);
  std::string text;
  if (outcome.places == 0) {
    text = fmt::format("Nothing in the program matches {}.", asked);
    if (!outcome.nearest.empty()) text += " The nearest names:";
    for (const auto& name : outcome.nearest) text += " " + name;
  } else if (outcome.stops.target + outcome.stops.gate == 0) {
    text = fmt::format("{} was set at {} place(s), but none was reached.", asked, outcome.places);
  } else if (!outcome.condition_unknown.empty()) {
    text = fmt::format("{} was reached, but the condition cannot be told there: {}.", asked, outcome.condition_unknown);
  } else {
    text = fmt::format("{} was reached, but nothing there was what was asked for.", asked);
  }
  for (const auto& refused : outcome.refused) text += " " + refused;
  return in_one_line(text);
}

/// The program lets us at its memory once it knows who we are, and says so with a line.
void wait_for_permission() {
  std::string line;
  if (!std::getline(std::cin, line)) throw Error("the program that asked for the session is gone");
}

void attach(const Request& request, Context& context) {
  session::RunOptions options;
  options.at = request.at;
  options.condition = request.condition;
  if (!request.events.empty()) options.events = session::parse_events(request.events);
  options.limit = request.limit;
  options.from_start = true;
  options.attach = session::Attachment{request.pid,
                                       [](int descriptor) {
                                         say(fmt::format("memory {}", descriptor));
                                         wait_for_permission();
                                       },
                                       [](const session::Outcome& outcome) { say(fmt::format("probes {}", outcome.places)); }};
  options.on_recorded = [&](Recording& recording) {
    annotate(recording);
    save(recording, request.output);
  };
  try {
    const auto outcome = session::run(options);
    say(fmt::format("recorded {} {}", outcome.events, outcome.events ? "" : why_nothing(request, outcome)));
  } catch (const Error& error) {
    say("error " + in_one_line(fmt::format("{}{}{}", error.what(), error.mend().empty() ? "" : ". ", error.mend())));
    context.exit_code = ExitCode::failed;
  }
}

}  // namespace

void register_attach(CLI::App& app, Context& context) {
  auto request = std::make_shared<Request>();
  auto* command = app.add_subcommand("attach", "The session of a program that asks for one: callpath.record in Python does");
  command->group("");
  command->add_option("--pid", request->pid, "The program, this process's parent")->required();
  command->add_option("--at", request->at, "As for run")->allow_extra_args(false);
  command->add_option("--if", request->condition, "As for run");
  command->add_option("--events", request->events, "As for run");
  command->add_option("--limit", request->limit, "As for run")->check(CLI::Range(1, 100000));
  command->add_option("-o,--output", request->output, "Where to write the record")->required();
  command->callback([request, &context] { attach(*request, context); });
}

}  // namespace callpath::cli
