// Answers questions about a file's symbols on the command line, one JSON value a line, for tests that compare with other tools.
//   symbols_probe at FILE < hex module offsets        symbols_probe find FILE PATTERN      symbols_probe line FILE SOURCE LINE
//   symbols_probe calls FILE < hex return addresses   symbols_probe nearest FILE PATTERN   symbols_probe describe FILE
//   symbols_probe mangled FILE < hex module offsets
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "symbols/symbols.hpp"

using namespace callpath;
using Json = nlohmann::json;

static Json json(const FunctionAt& f) {
  Json j = {{"name", f.name}, {"full", f.full}, {"inlined", f.inlined}, {"confidence", to_string(f.confidence)}, {"note", f.note}};
  if (f.file) j["file"] = *f.file;
  if (f.line) j["line"] = *f.line;
  if (!f.origin.empty()) j["origin"] = f.origin;
  return j;
}

static Json json(const std::vector<FunctionAt>& chain) {
  Json j = Json::array();
  for (const auto& f : chain) j.push_back(json(f));
  return j;
}

static Json json(const FoundFunction& f) {
  Json j = {
      {"name", f.name}, {"full", f.full}, {"entry", f.entry.value}, {"after_prologue", f.after_prologue.value}, {"enclosing", f.enclosing}};
  if (f.file) j["file"] = *f.file;
  if (f.line) j["line"] = *f.line;
  return j;
}

static Json json(const CallSite& c) {
  Json j = {{"name", c.name}, {"full", c.full}, {"tail_jumps", Json::array()}};
  if (c.entry) j["entry"] = c.entry->value;
  for (const auto& chain : c.tail_jumps) j["tail_jumps"].push_back(json(chain));
  return j;
}

static void print(const Json& j) { std::cout << j.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n'; }

template <class Answer>
static void for_each_address(Answer answer) {
  std::string word;
  while (std::cin >> word) print(answer(ModuleOffset{std::stoull(word, nullptr, 16)}));
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string what = argv[1];
  const auto argument = [&](int i) { return i < argc ? std::string(argv[i]) : std::string(); };
  Module module;
  module.path = std::filesystem::absolute(argv[2]);
  Symbols symbols;
  if (what == "at") for_each_address([&](ModuleOffset a) { return json(symbols.at(module, a)); });
  if (what == "mangled") for_each_address([&](ModuleOffset a) { return Json(symbols.mangled(module, a)); });
  if (what == "calls")
    for_each_address([&](ModuleOffset a) {
      const auto call = symbols.call_returning_to(module, a);
      return call ? json(*call) : Json();
    });
  if (what == "find")
    for (const auto& f : symbols.find(module, argument(3))) print(json(f));
  if (what == "line")
    for (const auto& f : symbols.find_line(module, argument(3), std::stoi(argument(4)))) print(json(f));
  if (what == "nearest")
    for (const auto& name : symbols.nearest({module}, argument(3))) print(name);
  if (what == "describe") {
    const auto d = symbols.describe(module);
    print({{"debug", d.debug}, {"debug_file", d.debug_file}, {"advice", d.advice}});
  }
}
