#include "views/html_text.hpp"

#include <algorithm>

#include "explain/text.hpp"

namespace callpath {

std::string escape(std::string_view text) {
  std::string out;
  for (char c : printable(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += c;
  }
  return out;
}

std::string safe_link(std::string_view path) {
  auto plain = [](char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || c == '-' || c == '.' || c == '/';
  };
  if (path.empty() || path[0] == '/' || !std::all_of(path.begin(), path.end(), plain)) return {};
  return std::string(path);
}

std::string prose(std::string_view text) {
  std::string out;
  bool code = false;
  while (!text.empty()) {
    auto tick = text.find('`');
    out += escape(text.substr(0, tick));
    if (tick == std::string_view::npos) break;
    out += code ? "</code>" : "<code>";
    code = !code;
    text.remove_prefix(tick + 1);
  }
  return code ? out + "</code>" : out;
}

}  // namespace callpath
