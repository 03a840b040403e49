#include "agent/operators.hpp"

#include <signal.h>

#include "agent/trap.hpp"
#include "capture/syscall.hpp"

namespace callpath::agent {
namespace {

using capture::system_call;
using capture::word;

constexpr std::size_t kernel_set_size = 8;

/// A handler that came to a probe while this thread holds the stop would wait for itself.
class NoSignals {
 public:
  NoSignals() {
    unsigned long all = ~0ul;
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, word(&all), word(&before_), kernel_set_size);
  }
  ~NoSignals() { system_call(SYS_rt_sigprocmask, SIG_SETMASK, word(&before_), 0, kernel_set_size); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  unsigned long before_ = 0;
};

}  // namespace

bool glob_matches(const char* glob, const char* text) {
  const char *star = nullptr, *from = nullptr;
  while (*text) {
    if (*glob == '*') {
      star = glob++;
      from = text;
    } else if (*glob == '?' || *glob == *text) {
      ++glob, ++text;
    } else if (star) {
      glob = star + 1;
      text = ++from;
    } else {
      return false;
    }
  }
  while (*glob == '*') ++glob;
  return *glob == '\0';
}

void on_operator(const char* name) {
  if (!wants_operator(name)) return;
  NoSignals none;
  stop_at_operator(name);
}

}  // namespace callpath::agent
