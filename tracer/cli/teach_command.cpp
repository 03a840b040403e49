// callpath teach: a lesson step by step, in gdb or, where no gdb is wanted, along the checked recording.
#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cstring>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/lesson.hpp"
#include "cli/walk_take.hpp"
#include "core/error.hpp"
#include "views/terminal.hpp"

namespace fs = std::filesystem;

namespace callpath::cli {
namespace {

struct Request {
  std::string number, language = "en", python;
  int width = 0;
  bool dump = false, no_gdb = false;
};

/// The right answer, from the checked recordings. A variant that never reaches its stop has none, and no events.
std::optional<std::string> checked_answer(const Walkthrough& walk, const Question& question) {
  const auto file = walk.recording(question.of);
  if (!question.line.empty()) return std::nullopt;
  if (fs::exists(file)) return answer(question, load(file.string()));
  if (!question.of.empty() && find_variant(walk, question.of).setting.stop.never) return answer(question, Recording{});
  throw Error(fmt::format("walkthrough {}: its recording {} is not there", walk.number, file.string()),
              "Is callpath installed as a whole?");
}

const Option* right_option(const Walkthrough& walk, const Question& question) {
  const auto said = checked_answer(walk, question);
  return said ? option_for(question, *said) : nullptr;
}

// --- for whoever shows the lesson
// ---------------------------------------------------------------------------------------------------------------

nlohmann::ordered_json question_json(const Walkthrough& walk, const Question& question, const std::string& language) {
  const auto* right = right_option(walk, question);
  auto options = nlohmann::ordered_json::array();
  for (const auto& option : question.options)
    options.push_back({{"text", option.text.in(language)}, {"right", &option == right}, {"variant", option.variant}});
  return {{"ask", question.ask.in(language)}, {"of", question.of}, {"options", options}};
}

nlohmann::ordered_json step_json(const Walkthrough& walk, const Step& step, int number, const std::string& language) {
  auto questions = nlohmann::ordered_json::array();
  for (const auto& question : walk.questions)
    if (question.step == number) questions.push_back(question_json(walk, question, language));
  return {{"kind", step.kind}, {"title", step.title}, {"text", step.text}, {"gdb", step.gdb}, {"questions", questions}};
}

nlohmann::ordered_json transfer_json(const Walkthrough& walk, const Question& question, const std::string& language) {
  nlohmann::ordered_json out = {{"ask", question.ask.in(language)}, {"line", question.line}, {"variant", question.of}};
  if (const auto said = checked_answer(walk, question)) {
    const auto* option = option_for(question, *said);
    out["answer"] = option ? option->text.in(language) : *said;
  }
  return out;
}

void dump(const Walkthrough& walk, const std::string& language) {
  const auto lesson = read_lesson(walk.lesson(language));
  nlohmann::ordered_json out = {{"number", walk.number},
                                {"title", walk.title.in(language)},
                                {"asks", walk.asks.in(language)},
                                {"folder", walk.folder.string()},
                                {"program", walk.setting.program.string()},
                                {"environment", walk.setting.environment},
                                {"python", walk.setting.python},
                                {"by_hand", walk.by_hand.string()},
                                {"introduction", lesson.introduction},
                                {"steps", nlohmann::ordered_json::array()},
                                {"transfer", nlohmann::ordered_json::array()}};
  int number = 0;
  for (const auto& step : lesson.steps) out["steps"].push_back(step_json(walk, step, ++number, language));
  for (const auto& question : walk.transfer) out["transfer"].push_back(transfer_json(walk, question, language));
  fmt::print("{}\n", out.dump(1));
}

// --- without gdb
// ----------------------------------------------------------------------------------------------------------------------------------

/// A line of the reader's; nothing at the end of the input or for "q".
std::optional<std::string> reply(const std::string& prompt) {
  fmt::print("{}", prompt);
  std::fflush(stdout);
  std::string line;
  if (!std::getline(std::cin, line) || line == "q") {
    fmt::print("\n");
    return std::nullopt;
  }
  return line;
}

/// Asks until an option is chosen; false if the reader leaves.
bool ask(const Walkthrough& walk, const Question& question, const std::string& language) {
  const bool zh = language == "zh";
  fmt::print("\n  {}\n", question.ask.in(language));
  char letter = 'a';
  for (const auto& option : question.options) fmt::print("    {}) {}\n", letter++, option.text.in(language));
  const auto* right = right_option(walk, question);
  const auto said = reply(zh ? "  你的答案: " : "  Your answer: ");
  if (!said) return false;
  const auto chosen =
      said->empty() ? std::size_t(-1) : static_cast<std::size_t>(std::tolower(static_cast<unsigned char>((*said)[0])) - 'a');
  const bool good = right && chosen < question.options.size() && &question.options[chosen] == right;
  fmt::print("  {}\n",
             good ? (zh ? "对。" : "Right.")
                  : fmt::format(fmt::runtime(zh ? "记录里是：{}" : "The recording says: {}"), right ? right->text.in(language) : "?"));
  if (!good && chosen < question.options.size() && !question.options[chosen].variant.empty())
    fmt::print("  {}callpath walk {} --variant {}\n", zh ? "那个答案属于另一条路径：" : "That is the answer of another path: ", walk.number,
               question.options[chosen].variant);
  return true;
}

bool show_step(const Walkthrough& walk, const Step& step, int number, const Request& request, const TerminalOptions& form) {
  fmt::print("{}  {}\n\n{}", number, step.title, step.text);
  for (const auto& line : step.gdb) fmt::print("    (gdb) {}\n", line);
  if (step.kind == "run") fmt::print("\n{}", terminal(load(walk.recording({}).string()), 0, form));
  for (const auto& question : walk.questions)
    if (question.step == number && !ask(walk, question, request.language)) return false;
  return true;
}

int walk_through(const Walkthrough& walk, const Request& request, const Context& context) {
  const auto lesson = read_lesson(walk.lesson(request.language));
  auto form = terminal_options_from_environment(context.no_color);
  if (request.width) form.width = request.width;
  form.language = request.language;
  form.by_hand_stages = walk.hand_commands;
  form.title = fmt::format("{}  {}", walk.number, walk.title.in(request.language));
  const auto* more = request.language == "zh" ? "\n  回车继续，q 离开 " : "\n  Return goes on, q leaves ";
  fmt::print("{}\n\n{}", lesson.title, lesson.introduction);
  int number = 0;
  for (const auto& step : lesson.steps) {
    if (!reply(more)) return ok;
    fmt::print("\n");
    if (!show_step(walk, step, ++number, request, form)) return ok;
  }
  for (const auto& question : walk.transfer)
    fmt::print("  {}\n    {}\n", question.ask.in(request.language),
               question.line.empty() ? fmt::format("callpath walk {} --variant {}", walk.number, question.of)
                                     : fmt::format("callpath walk {} --line '{}'", walk.number, question.line));
  return ok;
}

// --- in gdb
// ---------------------------------------------------------------------------------------------------------------------------------------

[[noreturn]] void become_gdb(const Walkthrough& walk, const Places& places, const std::string& python, const std::string& language) {
  EnvironmentChanges changes;
  for (char** entry = environ; *entry; ++entry) {
    const std::string name(*entry, static_cast<std::size_t>(std::strchr(*entry, '=') - *entry));
    if (name.starts_with("PYTHON") || name == "LD_PRELOAD" || name == "LD_LIBRARY_PATH" || name == "LD_AUDIT") changes[name] = std::nullopt;
  }
  changes["CALLPATH_BIN"] = places.program.string();
  std::vector<std::string> command{"gdb", "-q", "-iex", "set debuginfod enabled off"};
  auto variables = walk.setting.environment;
  variables["PYTHONPATH"] = python_path(places);
  for (const auto& [name, value] : variables) command.insert(command.end(), {"-iex", fmt::format("set environment {}={}", name, value)});
  command.insert(command.end(),
                 {"-iex", "set breakpoint pending on", "-ex", fmt::format("source {}", (places.gdb / "load.py").string()), "-ex",
                  fmt::format("callpath lesson {}{}", walk.number, language == "zh" ? " -zh" : ""), "--args", python});
  command.insert(command.end(), walk.setting.python.begin(), walk.setting.python.end());
  command.push_back(walk.setting.program.string());
  become(command, changes);
}

int teach(const Request& request, const Context& context) {
  const auto places = find_places(context);
  const auto all = read_walkthroughs(places.walkthroughs);
  const auto& walk = find_walkthrough(all, request.number);
  if (request.dump) return dump(walk, request.language), ok;
  if (request.no_gdb) return walk_through(walk, request, context);
  const auto python = target_python(request.python);
  if (const auto missing = lacking_for({Route::Kind::gdb}, walk, places, python); !missing.empty())
    throw Error(fmt::format("walkthrough {} cannot be taught in gdb here: {}", walk.number, missing.front()),
                fmt::format("Along its recording: callpath teach {} --no-gdb", walk.number));
  become_gdb(walk, places, python, request.language);
}

}  // namespace

void register_teach(CLI::App& app, Context& context) {
  auto request = std::make_shared<Request>();
  auto* command = app.add_subcommand("teach", "Teach a walkthrough step by step: in gdb, or along its recording");
  command->add_option("NN", request->number, "Its number, such as 01")->required();
  command->add_flag("--no-gdb", request->no_gdb, "Step through the checked recording; nothing is run");
  command->add_flag("--dump", request->dump, "Print the lesson as JSON");
  command->add_option("--python", request->python, "Interpreter (default: the one of the build, or CALLPATH_PYTHON)")->type_name("PATH");
  command->add_option("--lang", request->language, "Language of the lesson")->check(CLI::IsMember({"en", "zh"}))->capture_default_str();
  command->add_option("--width", request->width, "Columns (default: the terminal's; 100 when piped)")->check(CLI::Range(40, 120));
  command->footer("Examples:\n  callpath teach 01\n  callpath teach 01 --no-gdb --lang zh");
  command->callback([request, &context] { context.exit_code = teach(*request, context); });
}

}  // namespace callpath::cli
