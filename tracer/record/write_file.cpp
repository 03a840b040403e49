#include "record/write_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <streambuf>
#include <string_view>

#include "core/error.hpp"
#include "record/text.hpp"

namespace callpath {
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw Error(fmt::format("{}: cannot write: {}", printable_utf8(path), std::strerror(error)), "Give another place with -o FILE.");
}

// 0 or an errno.
int write_all(int fd, std::string_view text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    done += static_cast<std::size_t>(n);
  }
  return 0;
}

// Collects what is written and hands it on in large pieces. After an error nothing more is written; it is told at the end.
class FileBuffer : public std::streambuf {
 public:
  explicit FileBuffer(int fd) : fd_(fd) { setp(piece_.data(), piece_.data() + piece_.size()); }
  int error() const { return error_; }

 protected:
  int overflow(int c) override {
    if (sync() != 0) return traits_type::eof();
    if (c != traits_type::eof()) sputc(static_cast<char>(c));
    return traits_type::not_eof(c);
  }
  int sync() override {
    if (!error_) error_ = write_all(fd_, std::string_view(pbase(), static_cast<std::size_t>(pptr() - pbase())));
    setp(piece_.data(), piece_.data() + piece_.size());
    return error_ ? -1 : 0;
  }

 private:
  int fd_, error_ = 0;
  std::array<char, 1 << 16> piece_;
};

// 0 or an errno. What `write` throws passes through.
int write_stream(int fd, const std::function<void(std::ostream&)>& write) {
  FileBuffer buffer(fd);
  std::ostream out(&buffer);
  write(out);
  out.flush();
  return buffer.error();
}

// A pipe or a device is written to; renaming a file onto /dev/stdout would take it away from everybody.
void write_through(const std::string& path, const std::function<void(std::ostream&)>& write) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) fail(path, errno);
  int error = 0;
  try {
    error = write_stream(fd, write);
  } catch (...) {
    ::close(fd);
    throw;
  }
  if (::close(fd) != 0 && !error) error = errno;
  if (error) fail(path, error);
}

// A link stays a link.
std::string behind_links(const std::string& path) {
  std::filesystem::path at = path;
  std::error_code none;
  for (int hops = 0; hops < 40; ++hops) {
    const auto to = std::filesystem::read_symlink(at, none);
    if (none) break;
    at = at.parent_path() / to;
  }
  return at;
}

}  // namespace

void write_file(const std::string& path, const std::string& text) {
  write_file(path, [&](std::ostream& out) { out << text; });
}

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  struct stat status;
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno == ELOOP) fail(path, errno);
  if (exists && S_ISDIR(status.st_mode)) fail(path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) return write_through(path, write);
  const std::string target = behind_links(path);
  std::string temporary = target + ".XXXXXX";
  const int fd = ::mkstemp(temporary.data());
  if (fd < 0) fail(path, errno);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  int error = 0;
  try {
    error = write_stream(fd, write);
  } catch (...) {
    ::close(fd);
    ::unlink(temporary.c_str());
    throw;
  }
  if (!error && ::fchmod(fd, 0666 & ~mask) != 0) error = errno;
  if (::close(fd) != 0 && !error) error = errno;
  if (!error && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (!error) return;
  ::unlink(temporary.c_str());
  fail(path, error);
}

}  // namespace callpath
