#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "core/error.hpp"
#include "record/record.hpp"
#include "record/text.hpp"
#include "record/write_file.hpp"

namespace callpath {

void save(const Recording& recording, const std::string& path) { write_file(path, to_json_text(recording)); }

Recording load(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0)
    throw Error(fmt::format("{}: cannot read: {}", printable_utf8(path), std::strerror(errno)), "Give the path of a record.");
  if (S_ISDIR(status.st_mode))
    throw Error(fmt::format("{}: is a folder, not a record", printable_utf8(path)), "Give the path of a record.");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    if (status.st_size != 0 || !file) throw Error(fmt::format("{}: cannot read", printable_utf8(path)), "Give the path of a record.");
  return from_json_text(text.str(), printable_utf8(path));
}

}  // namespace callpath
