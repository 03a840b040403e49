// An operator's registrations and its computed table in words: PyTorch's.
#include <cstring>

#include "dispatch/OperatorEntry.h"

namespace tensorlib {

const char* toString(TableRule rule) {
  switch (rule) {
    case TableRule::kernel:
      return "kernel";
    case TableRule::default_backend_kernel:
      return "default backend kernel";
    case TableRule::math_kernel:
      return "math kernel";
    case TableRule::autograd_kernel:
      return "autograd kernel";
    case TableRule::backend_fallback:
      return "backend fallback";
    case TableRule::missing:
      break;
  }
  return "missing";
}

// The compiler tells a template's function argument within the name of the function around it: "... [with ...; auto kernel = NAME]".
std::string kernelName(const KernelOrigin& origin) {
  std::string_view text = origin.kernel;
  constexpr std::string_view before = "kernel = ";
  const std::size_t at = text.rfind(before);
  if (at == text.npos) return std::string(text);
  text.remove_prefix(at + before.size());
  text = text.substr(0, text.find_first_of(";]"));
  if (text.starts_with('&')) text.remove_prefix(1);
  // Names in the namespace of the template come without it.
  std::string name((text.starts_with("tensorlib::") ? "" : "tensorlib::") + std::string(text));
  for (const std::string_view unnamed : {"{anonymous}", "<unnamed>"}) {
    for (std::size_t i = name.find(unnamed); i != name.npos; i = name.find(unnamed))
      name.replace(i, unnamed.size(), "(anonymous namespace)");
  }
  return name;
}

std::string registeredAt(const KernelOrigin& origin) {
  std::string_view file = origin.file;
  const std::size_t at = file.rfind("/tensorlib/");
  if (at != file.npos) file.remove_prefix(at + 1);
  return std::string(file) + ":" + std::to_string(origin.line);
}

namespace {

const char* registered(const KernelFunction& kernel) { return kernel.fallthrough ? "fallthrough registered at " : "registered at "; }

const char* forms(const KernelFunction& kernel) {
  if (kernel.fallthrough) return "fallthrough boxed";
  return kernel.boxed_kernel_func ? "boxed" : "boxed unboxed";
}

bool isAlias(DispatchKey key) { return key >= DispatchKey::EndOfKeys; }

}  // namespace

std::string OperatorEntry::dumpComputedTable() const {
  std::string text;
  for (int i = 0; i < numDispatchKeys; ++i) {
    const auto key = static_cast<DispatchKey>(i);
    const TableEntryOrigin& entry = entryOrigin(key);
    if (entry.rule == TableRule::missing) continue;
    text += std::string(toString(key)) + ": " + registered(kernelForDispatchKey(key)) + registeredAt(entry.origin) + " [" +
            toString(entry.rule) + "]\n";
  }
  return text;
}

std::string OperatorEntry::dumpState() const {
  std::string text = "name: " + name_ + "\nschema: " + schema_ + "\n";
  for (int i = 1; i < numRegistrationKeys; ++i) {
    const auto key = static_cast<DispatchKey>(i);
    if (!hasKernelForDispatchKey(key)) continue;
    const AnnotatedKernel& entry = registered_[index(key)];
    text += std::string(toString(key)) + (isAlias(key) ? "[alias]" : "") + ": registered at " + registeredAt(entry.origin) +
            " :: " + kernelName(entry.origin) + " [ " + forms(entry.kernel) + " ]\n";
  }
  return text;
}

}  // namespace tensorlib
