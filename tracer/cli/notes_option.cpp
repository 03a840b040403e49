#include "cli/notes_option.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/error.hpp"

namespace callpath::cli {

void add_notes_option(CLI::App& command, std::vector<std::string>& files) {
  command.add_option("--notes", files, "A catalogue of notes of your own, which are asked before the built-in ones; may be given again")
      ->type_name("FILE");
}

std::optional<Notes> read_notes(const std::vector<std::string>& files) {
  std::optional<Notes> out;
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    std::ifstream in(*file, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(in), {});
    if (!in.is_open() || in.bad())
      throw Error(*file + ": cannot read: " + std::strerror(errno),
                  "Give the path of a TOML file with [[note]] tables; docs/report.md says what is in them.");
    out = Notes::parse(text, *file).before(out ? *out : Notes::built_in());
  }
  return out;
}

}  // namespace callpath::cli
