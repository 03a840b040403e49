#include "explain/stable.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace callpath {
namespace {

bool hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

// Addresses are long: 0x28 is an offset, 0x7ffe9660650 an address.
std::string without_addresses(const std::string& text) {
  constexpr std::size_t shortest = 8;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text.compare(at, 2, "0x") == 0) {
      auto end = at + 2;
      while (end < text.size() && hex(text[end])) ++end;
      out += end - at - 2 >= shortest ? "0x…" : text.substr(at, end - at);
      at = end;
    } else {
      out += text[at++];
    }
  }
  return out;
}

void settle(std::vector<Value>& values) {
  for (auto& v : values)
    if (v.value) v.value = without_addresses(*v.value);
}

}  // namespace

Recording stable(Recording recording) {
  std::map<std::int64_t, std::int64_t> threads;
  for (auto& event : recording.events) {
    event.thread.tid = threads.try_emplace(event.thread.tid, static_cast<std::int64_t>(threads.size()) + 1).first->second;
    for (auto& f : event.frames) {
      f.pc.reset();
      settle(f.arguments);
      settle(f.locals);
      f.evidence = without_addresses(f.evidence);
    }
    for (auto& fact : event.facts) {
      fact.text = without_addresses(fact.text);
      if (fact.value.is_string()) fact.value = without_addresses(fact.value.get<std::string>());
    }
  }
  return recording;
}

}  // namespace callpath
