#include "cli/walkthrough.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <regex>

#include "cli/nearest.hpp"
#include "core/error.hpp"

namespace fs = std::filesystem;

namespace callpath::cli {
namespace {

constexpr const char* mend = "walkthroughs/README.md says what walk.toml holds.";

/// Reads members of one file; what is missing or of another type is an Error that names file and member.
class Reader {
 public:
  explicit Reader(const fs::path& file) : file_(file) {}

  template <class T>
  T required(const toml::table& table, const char* name) const {
    if (auto value = table.at_path(name).value<T>()) return *value;
    fail(fmt::format("'{}' is missing or of another type", name));
  }

  std::string text(const toml::table& table, const char* name) const { return table.at_path(name).value_or(std::string()); }

  std::vector<std::string> texts(const toml::table& table, const char* name) const {
    std::vector<std::string> result;
    if (const auto* list = table.at_path(name).as_array())
      for (const auto& item : *list)
        if (auto value = item.value<std::string>()) result.push_back(*value);
    return result;
  }

  /// A regular expression: one that is none is said now.
  std::string pattern(const toml::table& table, const char* name) const {
    const auto value = text(table, name);
    try {
      static_cast<void>(std::regex(value));
    } catch (const std::regex_error& error) {
      fail(fmt::format("'{}' is no regular expression: {}: {}", name, value, error.what()));
    }
    return value;
  }

  [[noreturn]] void fail(const std::string& what) const { throw Error(fmt::format("{}: {}", file_.string(), what), mend); }

 private:
  const fs::path& file_;
};

template <class Make>
void each_table(const toml::table& table, const char* name, Make make) {
  const auto* list = table[name].as_array();
  if (!list) return;
  for (const auto& item : *list)
    if (const auto* entry = item.as_table()) make(*entry);
}

Stop read_stop(const Reader& reader, const toml::table& table) {
  Stop stop{reader.text(table, "at"),   reader.text(table, "events"), reader.text(table, "condition"),
            table["limit"].value_or(1), table.contains("gdb"),        table["never"].value_or(false)};
  if (!stop.at.empty() && !stop.events.empty()) reader.fail("a stop has 'at' or 'events', not both");
  if (!stop.has_process() && !stop.has_gdb) reader.fail("a stop has 'at', 'events' or 'gdb'");
  return stop;
}

/// What [run] and a variant may say; the rest of the setting stays as it is.
void read_running(const Reader& reader, const toml::table& table, const fs::path& folder, Setting& setting) {
  if (const auto* environment = table["environment"].as_table())
    for (const auto& [name, value] : *environment) setting.environment[std::string(name.str())] = value.value_or(std::string());
  if (table.contains("python")) setting.python = reader.texts(table, "python");
  if (table.contains("terminal")) setting.terminal = reader.text(table, "terminal");
  if (table.contains("program")) setting.program = folder / reader.required<std::string>(table, "program");
  if (!table.contains("edit")) return;
  setting.edits.clear();
  each_table(table, "edit", [&](const toml::table& entry) {
    setting.edits.push_back({reader.required<std::string>(entry, "file"), reader.pattern(entry, "after"), reader.text(entry, "insert")});
  });
}

Variant read_variant(const Reader& reader, const toml::table& table, const Walkthrough& walk) {
  Variant variant{reader.required<std::string>(table, "name"),
                  {reader.text(table, "title"), reader.text(table, "zh")},
                  walk.setting,
                  reader.text(table, "differs")};
  auto& setting = variant.setting;
  read_running(reader, table, walk.folder, setting);
  setting.line = reader.text(table, "line");
  if (const auto* stop = table["stop"].as_table()) setting.stop = read_stop(reader, *stop);
  if (table.contains("condition")) setting.stop.condition = reader.text(table, "condition");
  return variant;
}

Question read_question(const Reader& reader, const toml::table& table) {
  Question question;
  question.step = table["step"].value_or(0);
  question.ask = {reader.text(table, "ask"), reader.text(table, "zh")};
  question.of = reader.text(table, "of");
  question.line = reader.text(table, "line");
  using enum Question::Asks;
  const std::pair<const char*, Question::Asks> kinds[] = {{"decision", decision}, {"fact", fact},     {"frames", frames},
                                                          {"stages", stages},     {"events", events}, {"source", source}};
  int given = 0;
  for (const auto& [name, kind] : kinds)
    if (table.contains(name)) question.asks = kind, question.what = reader.text(table, name), ++given;
  if (given != 1) reader.fail("a question has one of decision, fact, frames, source, stages, events");
  if (question.asks == frames) reader.pattern(table, "frames");
  if (question.asks == source) reader.pattern(table, "source");
  question.kind = reader.text(table, "kind");
  question.event = table["event"].value_or(1);
  each_table(table, "option", [&](const toml::table& entry) {
    question.options.push_back({reader.required<std::string>(entry, "value"),
                                {reader.text(entry, "en"), reader.text(entry, "zh")},
                                reader.text(entry, "variant")});
  });
  return question;
}

void read_lists(const Reader& reader, const toml::table& table, Walkthrough& walk) {
  each_table(table, "variant", [&](const toml::table& entry) { walk.variants.push_back(read_variant(reader, entry, walk)); });
  each_table(table, "question", [&](const toml::table& entry) { walk.questions.push_back(read_question(reader, entry)); });
  each_table(table, "transfer", [&](const toml::table& entry) { walk.transfer.push_back(read_question(reader, entry)); });
  each_table(table, "by_hand_stage", [&](const toml::table& entry) {
    walk.hand_commands.push_back(
        {reader.required<std::string>(entry, "layer"), reader.pattern(entry, "function"), reader.texts(entry, "commands")});
  });
}

/// Every variant that a question or an option names is there.
void check_names(const Walkthrough& walk) {
  auto check = [&](const std::string& name) {
    if (!name.empty()) find_variant(walk, name);
  };
  for (const auto* list : {&walk.questions, &walk.transfer})
    for (const auto& question : *list) {
      check(question.of);
      for (const auto& option : question.options) check(option.variant);
    }
}

Walkthrough read_walkthrough(const fs::path& file) {
  toml::table table;
  try {
    table = toml::parse_file(file.string());
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("{}:{}: {}", file.string(), error.source().begin.line, error.description()), mend);
  }
  const Reader reader(file);
  Walkthrough walk;
  walk.folder = fs::absolute(file.parent_path());
  walk.number = reader.required<std::string>(table, "number");
  walk.title = {reader.required<std::string>(table, "title"), reader.text(table, "zh.title")};
  walk.track = reader.required<std::string>(table, "track");
  walk.asks = {reader.text(table, "asks"), reader.text(table, "zh.asks")};
  walk.by_hand = walk.folder / "by_hand.gdb";
  walk.process_needs = reader.texts(table, "needs.process");
  walk.gdb_needs = reader.texts(table, "needs.gdb");
  walk.setting.program = walk.folder / reader.required<std::string>(table, "program");
  const auto* stop = table["stop"].as_table();
  if (!stop) reader.fail("there is no [stop]");
  walk.setting.stop = read_stop(reader, *stop);
  if (const auto* run = table["run"].as_table()) read_running(reader, *run, walk.folder, walk.setting);
  walk.line = {table["line"]["number"].value_or(0), reader.text(table, "line.prefix"), reader.pattern(table, "line.pattern"),
               reader.text(table, "line.condition")};
  if (const auto* beside = table["beside"].as_table())
    walk.beside = {walk.folder / reader.required<std::string>(*beside, "program"),
                   {reader.text(*beside, "title"), reader.text(*beside, "zh")}};
  read_lists(reader, table, walk);
  check_names(walk);
  return walk;
}

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

}  // namespace

std::vector<Walkthrough> read_walkthroughs(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw Error(fmt::format("there are no walkthroughs in {}", folder.string()), "Is callpath installed as a whole?");
  std::vector<Walkthrough> all;
  for (const auto& entry : fs::directory_iterator(folder))
    if (fs::exists(entry.path() / "walk.toml")) all.push_back(read_walkthrough(entry.path() / "walk.toml"));
  std::sort(all.begin(), all.end(), [](const Walkthrough& a, const Walkthrough& b) { return a.number < b.number; });
  return all;
}

const Walkthrough& find_walkthrough(const std::vector<Walkthrough>& all, const std::string& wanted) {
  const auto padded = wanted.size() == 1 ? "0" + wanted : wanted;
  for (const auto& walk : all)
    if (walk.number == padded || walk.name() == wanted) return walk;
  std::vector<std::string> there;
  for (const auto& walk : all) there.push_back(fmt::format("{} ({})", walk.number, walk.title.en));
  throw Error(fmt::format("there is no walkthrough '{}'", wanted), fmt::format("There are: {}.", fmt::join(there, ", ")));
}

const Variant& find_variant(const Walkthrough& walk, const std::string& wanted) {
  std::vector<std::string> names;
  for (const auto& variant : walk.variants) {
    if (variant.name == wanted) return variant;
    names.push_back(variant.name);
  }
  const auto likely = nearest_word(wanted, names);
  throw Error(fmt::format("walkthrough {} has no variant '{}'", walk.number, wanted),
              likely.empty() ? fmt::format("It has: {}.", fmt::join(names, ", ")) : fmt::format("Did you mean '{}'?", likely));
}

std::string line_for(const std::string& code, const OwnLine& own) {
  if (code.find('\n') != std::string::npos) throw Error("--line takes one line of Python", "callpath walk 01 --line 'X[:, 1]**2.5'");
  const auto line = trimmed(code);
  if (line.empty()) throw Error("--line is empty", "callpath walk 01 --line 'X[:, 1]**2.5'");
  static const std::regex assignment(R"(^[A-Za-z_]\w*\s*=(?!=))");
  return std::regex_search(line, assignment) ? line : own.prefix + line;
}

std::string condition_for(const std::string& code, const OwnLine& own) {
  if (own.pattern.empty()) return {};
  const std::regex pattern(own.pattern);
  std::string found;
  for (std::sregex_iterator match(code.begin(), code.end(), pattern), end; match != end; ++match) found = (*match)[1].str();
  const auto place = own.condition.find("{}");
  return found.empty() || place == std::string::npos ? "" : std::string(own.condition).replace(place, 2, found);
}

}  // namespace callpath::cli
