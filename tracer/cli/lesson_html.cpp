#include "cli/lesson_html.hpp"

#include <fmt/format.h>

#include <functional>
#include <regex>
#include <sstream>
#include <vector>

#include "views/html_text.hpp"

namespace callpath::cli {
namespace {

/// `code`, **strong** and [text](link) of one line; everything else escaped.
std::string inline_html(const std::string& text) {
  static const std::regex token(R"(`([^`]+)`|\*\*((?:[^*`]|`[^`]*`)+)\*\*|\[([^\]]+)\]\(([^)\s]+)\))");
  std::string out;
  auto from = text.cbegin();
  for (std::smatch found; std::regex_search(from, text.cend(), found, token); from = found.suffix().first) {
    out += escape(found.prefix().str());
    if (found[1].matched)
      out += fmt::format("<code>{}</code>", escape(found[1].str()));
    else if (found[2].matched)
      out += fmt::format("<strong>{}</strong>", inline_html(found[2].str()));
    else if (const auto link = safe_link(found[4].str()); !link.empty())
      out += fmt::format("<a href=\"{}\">{}</a>", escape(link), escape(found[3].str()));
    else
      out += escape(found[3].str());
  }
  return out + escape(std::string(from, text.cend()));
}

enum class Part { none, paragraph, bullets, numbers, table, quote, code };

Part part_of(const std::string& line) {
  static const std::regex number(R"(^\d+\. )");
  if (line.starts_with("- ")) return Part::bullets;
  if (std::regex_search(line, number)) return Part::numbers;
  if (line.starts_with("|")) return Part::table;
  if (line.starts_with("> ")) return Part::quote;
  return Part::paragraph;
}

std::string item(const std::string& text) { return fmt::format("<li>{}</li>\n", inline_html(text)); }

/// Lines that go on with the item before them are joined to it.
std::vector<std::string> items(const std::vector<std::string>& lines) {
  std::vector<std::string> result;
  for (const auto& line : lines) {
    const auto part = part_of(line);
    if (part == Part::bullets || part == Part::numbers)
      result.push_back(line.substr(line.find(' ') + 1));
    else
      result.back() += " " + line.substr(line.find_first_not_of(' '));
  }
  return result;
}

std::string table_html(const std::vector<std::string>& lines) {
  static const std::regex ruler(R"(^[|\s:-]+$)");
  std::string out = "<table>\n";
  bool head = true;
  for (const auto& line : lines) {
    if (std::regex_match(line, ruler)) {
      head = false;
      continue;
    }
    out += "<tr>";
    std::istringstream cells(line.substr(1));
    for (std::string cell; std::getline(cells, cell, '|');)
      if (cell.find_first_not_of(' ') != std::string::npos || !cells.eof())
        out += fmt::format("<{0}>{1}</{0}>", head ? "th" : "td", inline_html(cell));
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

std::string joined(const std::vector<std::string>& lines, const std::string& between) {
  std::string out;
  for (const auto& line : lines) out += (out.empty() ? "" : between) + line;
  return out;
}

std::string html_of(Part part, std::vector<std::string> lines) {
  if (lines.empty()) return {};
  std::string list;
  switch (part) {
    case Part::bullets:
    case Part::numbers:
      for (const auto& text : items(lines)) list += item(text);
      return fmt::format("<{0}>\n{1}</{0}>\n", part == Part::bullets ? "ul" : "ol", list);
    case Part::table:
      return table_html(lines);
    case Part::quote:
      for (auto& line : lines) line = line.substr(line.starts_with("> ") ? 2 : 0);
      return fmt::format("<blockquote><p>{}</p></blockquote>\n", inline_html(joined(lines, " ")));
    case Part::code:
      return fmt::format("<pre>{}</pre>\n", escape(joined(lines, "\n")));
    default:
      return fmt::format("<p>{}</p>\n", inline_html(joined(lines, " ")));
  }
}

}  // namespace

std::string html_of_markdown(const std::string& text) {
  std::string out;
  Part part = Part::none;
  std::vector<std::string> lines;
  auto close = [&] {
    out += html_of(part, std::move(lines));
    lines.clear();
    part = Part::none;
  };
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      const bool begins = part != Part::code;
      close();
      if (begins) part = Part::code;
    } else if (part == Part::code) {
      lines.push_back(line);
    } else if (line.empty()) {
      close();
    } else if (!line.starts_with("<!--")) {
      const auto next = part_of(line);
      const bool list = part == Part::bullets || part == Part::numbers;
      if (next != part && !(next == Part::paragraph && (list || part == Part::quote))) close();
      if (part == Part::none) part = next;
      lines.push_back(line);
    }
  }
  close();
  return out;
}

}  // namespace callpath::cli
