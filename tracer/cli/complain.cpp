#include "cli/complain.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

namespace callpath::cli {

void say_on_stderr(const std::string& text) noexcept {
  for (std::size_t done = 0; done < text.size();) {
    ssize_t written = write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    done += static_cast<std::size_t>(written);
  }
}

void prepare_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest free number is this stream's. Opened the wrong way round, it refuses what a closed one would refuse.
    open("/dev/null", (stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
  }
  signal(SIGXFSZ, SIG_IGN);  // CPython ignores it too: the program that is started sees no difference.
}

}  // namespace callpath::cli
