// libstdc++'s demangler, kept from running away: a short hostile symbol can ask for an output of 2^50 characters.
#include <csetjmp>
#include <cstring>
#include <memory>
#include <string>

#include "symbols/symbols.hpp"

extern "C" int __gcclibcxx_demangle_callback(const char* mangled, void (*take)(const char*, std::size_t, void*), void* state);

namespace callpath {
namespace {

constexpr std::size_t longest_input = 16 * 1024, longest_output = 64 * 1024;

struct Output {
  std::jmp_buf too_long;
  char text[longest_output];
  std::size_t size = 0;
};

/// The demangler offers no way to stop it, and it holds no resources here (it works on its stack), so it is left by a jump.
void take(const char* text, std::size_t size, void* state) {
  auto* output = static_cast<Output*>(state);
  if (size > longest_output - output->size) std::longjmp(output->too_long, 1);
  std::memcpy(output->text + output->size, text, size);
  output->size += size;
}

bool run(const char* symbol, Output& output) {
  output.size = 0;
  if (setjmp(output.too_long) != 0) return false;
  return __gcclibcxx_demangle_callback(symbol, take, &output) == 0 && output.size > 0;
}

}  // namespace

std::string demangle(const std::string& symbol) {
  if (symbol.compare(0, 2, "_Z") != 0 || symbol.size() > longest_input || std::strlen(symbol.c_str()) != symbol.size()) return symbol;
  // Not in the thread's own memory: a library with so much of it cannot be loaded into a running program.
  static thread_local const auto output = std::make_unique<Output>();
  return run(symbol.c_str(), *output) ? std::string(output->text, output->size) : symbol;
}

}  // namespace callpath
