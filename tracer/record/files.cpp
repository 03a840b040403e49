#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "core/error.hpp"
#include "record/record.hpp"
#include "record/text.hpp"

namespace callpath {
namespace {

[[noreturn]] void fail(const std::string& path, const char* doing, int error) {
  throw Error(fmt::format("{}: cannot {}: {}", printable_utf8(path), doing, std::strerror(error)), "Give another place with -o FILE.");
}

bool write_all(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

void save(const Recording& recording, const std::string& path) {
  const std::string text = to_json_text(recording);
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkstemp(temporary.data());
  if (fd < 0) fail(path, "write beside it", errno);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  int error = write_all(fd, text) && ::fchmod(fd, 0666 & ~mask) == 0 ? 0 : errno;
  if (::close(fd) != 0 && !error) error = errno;
  if (!error && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (!error) return;
  ::unlink(temporary.c_str());
  fail(path, "write", error);
}

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
