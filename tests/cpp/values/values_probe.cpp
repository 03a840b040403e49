// Reads a stack and the memory around it, as another debugger saw them, and prints what Values makes of it, for tests that compare the two.
//   values_probe < JSON: {"modules": [{"path", "bias", "segments": [[begin, end]]}], "regions": [{"begin", "file", "at", "size"}],
//                         "frames": [{"pc", "exact", "sp", "cfa", "registers": {"0": n}}], "vectors": [hex of 32 or 64 bytes],
//                         "paths": [{"frame", "depth", "path"}], "templates": [{"frame", "depth", "name"}]}
#include <cstring>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "values/values.hpp"

using namespace callpath;
using Json = nlohmann::json;

class DumpedMemory : public Memory {
 public:
  explicit DumpedMemory(const Json& regions) {
    for (const auto& r : regions) {
      std::ifstream in(r["file"].get<std::string>(), std::ios::binary);
      in.seekg(r["at"].get<std::streamoff>());
      std::string bytes(r["size"].get<std::size_t>(), '\0');
      in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      regions_.push_back({r["begin"].get<std::uint64_t>(), std::move(bytes)});
    }
  }
  bool read(Address from, void* to, std::size_t size) const override {
    for (const auto& [begin, bytes] : regions_)
      if (from.value >= begin && from.value - begin <= bytes.size() && size <= bytes.size() - (from.value - begin))
        return std::memcpy(to, bytes.data() + (from.value - begin), size), true;
    return false;
  }

 private:
  std::vector<std::pair<std::uint64_t, std::string>> regions_;
};

static Json json(const std::vector<Value>& values) {
  Json all = Json::array();
  for (const auto& v : values) {
    Json j = {{"name", v.name}, {"type", v.type}};
    if (v.value) j["value"] = *v.value;
    if (v.reason) j["reason"] = *v.reason;
    all.push_back(j);
  }
  return all;
}

static RawFrame frame_of(const Json& j) {
  RawFrame f;
  f.pc = {j["pc"].get<std::uint64_t>()};
  f.exact_pc = j["exact"];
  f.sp = {j["sp"].get<std::uint64_t>()};
  f.cfa = {j["cfa"].get<std::uint64_t>()};
  for (const auto& [number, value] : j["registers"].items()) {
    f.registers.value[std::stoi(number)] = value.get<std::uint64_t>();
    f.registers.known |= 1u << std::stoi(number);
  }
  return f;
}

static VectorRegisters vectors_of(const Json& list) {
  VectorRegisters v;
  for (std::size_t i = 0; i < list.size() && i < 32; ++i) {
    const auto hex = list[i].get<std::string>();
    v.width = static_cast<int>(hex.size() / 2);
    for (int b = 0; b < v.width; ++b) v.value[i][b] = static_cast<std::uint8_t>(std::stoul(hex.substr(2 * b, 2), nullptr, 16));
  }
  return v;
}

int main() {
  const Json in = Json::parse(std::cin);
  const DumpedMemory memory(in["regions"]);
  std::vector<Module> modules;
  for (const auto& m : in["modules"]) {
    Module module{m["path"], "", m["bias"], {}};
    for (const auto& s : m["segments"]) module.segments.push_back({{s[0].get<std::uint64_t>()}, {s[1].get<std::uint64_t>()}, true});
    modules.push_back(module);
  }
  const VectorRegisters vectors = vectors_of(in.value("vectors", Json::array()));
  Symbols symbols;
  Values values(symbols, memory, &vectors);
  Json out = {{"frames", Json::array()}, {"paths", Json::array()}, {"templates", Json::array()}};
  RawStack stack;
  for (const auto& j : in["frames"]) stack.frames.push_back(frame_of(j));
  const auto& frames = stack.frames;
  values.use_callers(stack, modules);
  for (const auto& frame : frames) {
    const Module* module = find_module(modules, frame.pc);
    Json functions = Json::array();
    const auto chain = module ? symbols.at(*module, module->offset(frame.lookup())) : std::vector<FunctionAt>{};
    for (std::size_t depth = 0; depth < chain.size(); ++depth)
      functions.push_back({{"name", chain[depth].name},
                           {"full", chain[depth].full},
                           {"arguments", json(values.arguments(*module, frame, depth))},
                           {"locals", json(values.locals(*module, frame, depth))}});
    out["frames"].push_back(functions);
  }
  for (const auto& q : in.value("paths", Json::array())) {
    const auto& frame = frames.at(q["frame"]);
    std::string why_not;
    const auto e = values.evaluate(*find_module(modules, frame.pc), frame, q["depth"], q["path"], &why_not);
    out["paths"].push_back(e ? Json{{"type", e->type}, {"text", e->text}, {"value", e->value}, {"how", e->how}}
                             : Json{{"reason", why_not}});
  }
  for (const auto& q : in.value("templates", Json::array())) {
    const auto& frame = frames.at(q["frame"]);
    const auto t = values.template_argument(*find_module(modules, frame.pc), frame, q["depth"], q["name"]);
    out["templates"].push_back(t ? Json(*t) : Json());
  }
  std::cout << out.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
}
