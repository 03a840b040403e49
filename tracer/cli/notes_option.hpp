// --notes FILE, for the commands that tell a path.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "explain/notes.hpp"

namespace callpath::cli {

void add_notes_option(CLI::App&, std::vector<std::string>& files);

/// The reader's own notes before the built-in ones; nothing if no file is given. Throws Error naming file and place.
std::optional<Notes> read_notes(const std::vector<std::string>& files);

}  // namespace callpath::cli
