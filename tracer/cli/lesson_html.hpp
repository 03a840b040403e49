// A lesson's text as HTML. The Markdown of lessons is a small one: paragraphs, lists, tables, block quotes, fenced code, `code` and
// **strong**.
#pragma once

#include <string>

namespace callpath::cli {

std::string html_of_markdown(const std::string& text);

}  // namespace callpath::cli
