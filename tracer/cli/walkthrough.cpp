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

/// Reads members of one file; what is missing or of another type is an Error that names file and member.
class Reader {
 public:
  explicit Reader(const fs::path& file) : file_(file) {}

  template <class T>
  T required(const toml::table& table, const char* name) const {
    if (auto value = table.at_path(name).value<T>()) return *value;
    throw Error(fmt::format("{}: '{}' is missing or of another type", file_.string(), name),
                "walkthroughs/README.md says what walk.toml holds.");
  }

  std::string text(const toml::table& table, const char* name) const { return table.at_path(name).value_or(std::string()); }

  std::vector<std::string> texts(const toml::table& table, const char* name) const {
    std::vector<std::string> result;
    if (const auto* list = table.at_path(name).as_array())
      for (const auto& item : *list)
        if (auto value = item.value<std::string>()) result.push_back(*value);
    return result;
  }

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

Variant read_variant(const Reader& reader, const toml::table& table) {
  Variant variant{reader.required<std::string>(table, "name"),
                  reader.text(table, "title"),
                  reader.text(table, "line"),
                  table["condition"].value<std::string>(),
                  {},
                  reader.text(table, "differs")};
  if (const auto* environment = table["environment"].as_table())
    for (const auto& [name, value] : *environment) variant.environment[std::string(name.str())] = value.value_or(std::string());
  return variant;
}

Walkthrough read_walkthrough(const fs::path& file) {
  toml::table table;
  try {
    table = toml::parse_file(file.string());
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("{}:{}: {}", file.string(), error.source().begin.line, error.description()));
  }
  const Reader reader(file);
  Walkthrough walk;
  walk.folder = fs::absolute(file.parent_path());
  walk.number = reader.required<std::string>(table, "number");
  walk.title = reader.required<std::string>(table, "title");
  walk.asks = reader.text(table, "asks");
  walk.program = walk.folder / reader.required<std::string>(table, "program");
  walk.drive = walk.folder / reader.required<std::string>(table, "drive");
  walk.by_hand = walk.folder / reader.required<std::string>(table, "by_hand");
  walk.process_needs = reader.texts(table, "needs.process");
  walk.gdb_needs = reader.texts(table, "needs.gdb");
  walk.probe = reader.required<std::string>(table, "stop.probe");
  walk.condition = reader.text(table, "stop.condition");
  walk.line = reader.required<int>(table, "line.number");
  walk.line_prefix = reader.text(table, "line.prefix");
  each_table(table, "variant", [&](const toml::table& entry) { walk.variants.push_back(read_variant(reader, entry)); });
  each_table(table, "by_hand_stage", [&](const toml::table& entry) {
    walk.hand_commands.push_back(
        {reader.required<std::string>(entry, "layer"), reader.text(entry, "function"), reader.texts(entry, "commands")});
  });
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
  for (const auto& walk : all) there.push_back(fmt::format("{} ({})", walk.number, walk.title));
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

std::string line_for(const std::string& code, const std::string& prefix) {
  if (code.find('\n') != std::string::npos) throw Error("--line takes one line of Python", "callpath walk 01 --line 'X[:, 1]**2.5'");
  const auto line = trimmed(code);
  if (line.empty()) throw Error("--line is empty", "callpath walk 01 --line 'X[:, 1]**2.5'");
  static const std::regex assignment(R"(^[A-Za-z_]\w*\s*=(?!=))");
  return std::regex_search(line, assignment) ? line : prefix + line;
}

std::string condition_for(const std::string& code) {
  const auto power = code.rfind("**");
  if (power == std::string::npos) return {};
  static const std::regex number(R"(^\s*\(?\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.]))");
  std::smatch match;
  const auto rest = code.substr(power + 2);
  return std::regex_search(rest, match, number) ? "exp == " + match[1].str() : "";
}

}  // namespace callpath::cli
