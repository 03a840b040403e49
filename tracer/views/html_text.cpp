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

std::string breakable(std::string_view text) {
  std::string out;
  auto shown = printable(text);
  for (std::size_t at = 0; at < shown.size();) {
    auto end = shown.find_first_of(":<>,/", at);
    end = end == std::string::npos ? shown.size() : end + 1;
    bool half_colon = end < shown.size() && shown[end - 1] == ':' && shown[end] == ':';
    if (half_colon) ++end;
    out += escape(std::string_view(shown).substr(at, end - at));
    bool before_end = end == 1 || end == shown.size() || shown[end] == ' ' || shown[end] == '>' || shown[end] == ',';
    if (!before_end && (shown[end - 1] != ':' || half_colon)) out += "<wbr>";
    at = end;
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

std::string page_beside(std::string record) {
  if (record.ends_with(".json")) record.replace(record.size() - 5, 5, ".html");
  return record;
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
