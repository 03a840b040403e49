#include <fmt/format.h>

#include "python/elf_lookup.hpp"
#include "python/frames.hpp"
#include "python/versions.hpp"

// Which interpreter is loaded, and whether its layout is known.
namespace callpath {
namespace {

enum Name { runtime, version, code_type, ref_total, trace_refs, shared_refs };
const std::vector<std::string> names{"_PyRuntime",   "Py_Version",          "PyCode_Type",
                                     "_Py_RefTotal", "_Py_AddToAllObjects", "_Py_MergeZeroLocalRefcount"};

std::string why_unsupported(const Interpreter& interpreter, bool traces_references, bool free_threaded) {
  if (interpreter.hex_version == 0)
    return "Py_Version is not there: the interpreter is older than 3.11 or was stripped of its dynamic symbols";
  if (!find_version(interpreter.hex_version))
    return fmt::format("Python frames of CPython {} cannot be read ({} can): native frames only", version_text(interpreter.hex_version),
                       known_versions);
  if (free_threaded) return "this CPython runs without a GIL, which lays objects out differently: native frames only";
  if (traces_references) return "this CPython was built --with-trace-refs, whose objects are laid out differently: native frames only";
  return {};
}

std::optional<Interpreter> interpreter_in(const Module& module, const Memory& memory) {
  const auto found = look_up_symbols(module.path, names);
  if (!found[runtime]) return std::nullopt;
  Interpreter interpreter;
  interpreter.module = &module;
  interpreter.runtime = module.address(*found[runtime]);
  interpreter.debug = found[ref_total].has_value();
  if (found[code_type]) interpreter.code_type = module.address(*found[code_type]);
  if (found[version]) {
    const auto value = memory.get<std::uint64_t>(module.address(*found[version]));
    interpreter.hex_version = static_cast<std::uint32_t>(value.value_or(0));
  }
  interpreter.why_not = why_unsupported(interpreter, found[trace_refs].has_value(), found[shared_refs].has_value());
  interpreter.supported = interpreter.why_not.empty();
  return interpreter;
}

}  // namespace

std::optional<Interpreter> find_interpreter(const std::vector<Module>& modules, const Memory& memory) {
  for (const auto& module : modules)
    if (auto interpreter = interpreter_in(module, memory)) return interpreter;
  return std::nullopt;
}

std::string version_text(std::uint32_t hex_version) {
  const unsigned level = hex_version >> 4 & 0xf, serial = hex_version & 0xf;
  const std::string release = level == 0xa ? "a" : level == 0xb ? "b" : level == 0xc ? "rc" : "";
  const std::string text = fmt::format("{}.{}.{}", hex_version >> 24, hex_version >> 16 & 0xff, hex_version >> 8 & 0xff);
  return release.empty() ? text : fmt::format("{}{}{}", text, release, serial);
}

}  // namespace callpath
