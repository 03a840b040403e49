// callpath walk NN --answers.
#include <fmt/format.h>

#include "cli/complain.hpp"
#include "cli/walk_all.hpp"
#include "cli/walk_take.hpp"
#include "core/error.hpp"

namespace callpath::cli {
namespace {

/// The recording of a variant or a line: each is run once. One that never reaches its stop has no events.
class Runs {
 public:
  Runs(const Walkthrough& walk, const Places& places, std::string python) : walk_(walk), places_(places), python_(std::move(python)) {}

  const Recording& of(const std::string& variant, const std::string& line) {
    const auto key = variant + "\n" + line;
    if (const auto found = done_.find(key); found != done_.end()) return found->second;
    const Trip trip{&walk_, places_, python_, line.empty() ? variant : "", line};
    auto taken = take(trip, {routes_of(trip, "both").front()});
    auto& result = taken.results.front();
    if (!result.recording && result.status != not_reached)
      throw Error(fmt::format("walkthrough {}: {} ended with status {}", walk_.number, line.empty() ? variant : line, result.status),
                  result.said);
    return done_[key] = result.recording.value_or(Recording{});
  }

 private:
  const Walkthrough& walk_;
  const Places& places_;
  std::string python_;
  std::map<std::string, Recording> done_;
};

bool tell(const Question& question, Runs& runs, const std::string& language) {
  const auto said = answer(question, runs.of(question.of, question.line));
  const auto* option = said ? option_for(question, *said) : nullptr;
  const auto text =
      option ? option->text.in(language) : said.value_or(language == "zh" ? "没有这一步" : "there is no such thing on this path");
  fmt::print("  {}\n", question.ask.in(language));
  if (!question.line.empty()) fmt::print("    {}\n", question.line);
  fmt::print("    → {}\n\n", text);
  std::fflush(stdout);
  if (option || question.options.empty()) return true;
  complain("callpath: the answer, {}, is none of the question's options\n", said.value_or("nothing"));
  return false;
}

}  // namespace

int print_answers(const AnswersRequest& request, const Context& context) {
  const auto places = find_places(context);
  const auto all = read_walkthroughs(places.walkthroughs);
  const auto& walk = find_walkthrough(all, request.number);
  const auto python = target_python(request.python);
  if (const auto missing = lacking_for({Route::Kind::process}, walk, places, python); !missing.empty())
    throw Error(fmt::format("walkthrough {} cannot run here: {}", walk.number, missing.front()));
  wait_through_interrupts();
  fmt::print("{}  {}\n\n", walk.number, walk.title.in(request.language));
  Runs runs(walk, places, python);
  bool good = true;
  for (const auto* list : {&walk.questions, &walk.transfer})
    for (const auto& question : *list) good = tell(question, runs, request.language) && good;
  return good ? ok : failed;
}

}  // namespace callpath::cli
