// What is said to standard error, and standard streams that are not there.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace callpath::cli {

/// Writes to standard error. One that is closed or full is no reason to end otherwise: the exit status still tells.
void say_on_stderr(const std::string& text) noexcept;

template <class... Values>
void complain(fmt::format_string<Values...> format, Values&&... values) {
  say_on_stderr(fmt::format(format, std::forward<Values>(values)...));
}

/// Keeps the numbers of closed standard streams from being given to files of ours, where what is said would end up. Reading from or writing
/// to them still fails, and a program that is started finds them closed. Also makes a file size limit an error of the write instead of the
/// end of the process. To be called first of all.
void prepare_standard_streams();

}  // namespace callpath::cli
