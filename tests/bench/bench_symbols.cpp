// bench_symbols FILE [kept]: reads two lists of addresses (a count, then so many numbers) and prints how many seconds each took to name.
// With "kept" the index in the user's cache folder is used, and how long it took to write it is told too.
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <vector>

#include "symbols/symbols.hpp"

namespace {

std::vector<callpath::ModuleOffset> read_addresses(std::istream& in) {
  std::size_t count = 0;
  in >> count;
  std::vector<callpath::ModuleOffset> addresses(count);
  for (auto& address : addresses) in >> address.value;
  return addresses;
}

/// Seconds; `frames` counts what was found, so that nothing can be left out.
double name_all(callpath::Symbols& symbols, const callpath::Module& module, const std::vector<callpath::ModuleOffset>& addresses,
                std::size_t& frames) {
  const auto begin = std::chrono::steady_clock::now();
  for (const auto address : addresses) frames += symbols.at(module, address).size();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  callpath::Module module;
  module.path = argv[1];
  using callpath::Symbols;
  auto symbols = std::make_unique<Symbols>(argc > 2 ? Symbols::Index::kept : Symbols::Index::none);
  std::size_t frames = 0;
  const auto first = read_addresses(std::cin), more = read_addresses(std::cin);
  const double cold = name_all(*symbols, module, first, frames);
  const double warm = name_all(*symbols, module, more, frames);
  const auto begin = std::chrono::steady_clock::now();
  symbols.reset();
  const double end = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("{\"cold\": %.9f, \"warm\": %.9f, \"end\": %.9f, \"frames\": %zu}\n", cold, warm, end, frames);
}
