// callpath from C++: the C interface (callpath.h) with owners and exceptions. Header only.
//
//     callpath::Recording recording;
//     recording.add_here("where I wondered");
//     recording.save("path.json");
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "callpath/callpath.h"

namespace callpath {

/// What callpath_error() says.
class CallpathError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {
inline void check(int answer) {
  if (answer != 0) throw CallpathError(callpath_error());
}
inline std::string taken(char* text) {
  if (!text) throw CallpathError(callpath_error());
  const std::unique_ptr<char, void (*)(char*)> owner(text, callpath_text_free);
  return text;
}
}  // namespace detail

/// A stack as numbers.
struct CapturedStack {
  std::vector<callpath_frame> frames;  ///< The caller's first.
  callpath_end end = CALLPATH_GAVE_UP;
  bool complete() const { return end == CALLPATH_REACHED_START; }
};

/// The calling thread's stack. This one allocates; callpath_capture does not.
inline CapturedStack capture(std::size_t most = 4096) {
  CapturedStack stack;
  detail::check(callpath_refresh_modules());
  stack.frames.resize(most);
  stack.frames.resize(callpath_capture(stack.frames.data(), most, &stack.end));
  return stack;
}

/// Events with names, values and explanations.
class Recording {
 public:
  Recording() : handle_(callpath_recording_new(), callpath_recording_free) {
    if (!handle_) throw CallpathError(callpath_error());
  }
  /// Reads a file that `callpath run` or save() wrote.
  explicit Recording(const std::string& path) : Recording() { detail::check(callpath_load(handle_.get(), path.c_str())); }

  /// The calling thread's path, native and Python frames merged.
  void add_here(const std::string& label) { detail::check(callpath_record_here(handle_.get(), label.c_str(), nullptr)); }
  /// A stack that was captured before: its native frames.
  void add(const std::string& label, const CapturedStack& stack) {
    detail::check(callpath_record_frames(handle_.get(), label.c_str(), stack.frames.data(), stack.frames.size(), stack.end));
  }

  std::size_t size() const { return callpath_event_count(handle_.get()); }
  std::string json() const { return detail::taken(callpath_json(handle_.get())); }
  std::string show(std::size_t event, int width = 100, bool colours = false) const {
    return detail::taken(callpath_show(handle_.get(), event, width, colours));
  }
  void save(const std::string& path) const { detail::check(callpath_save(handle_.get(), path.c_str())); }
  void write_html(const std::string& path, const std::string& language = "en") const {
    detail::check(callpath_write_html(handle_.get(), path.c_str(), language.c_str()));
  }

 private:
  std::unique_ptr<callpath_recording, void (*)(callpath_recording*)> handle_;
};

}  // namespace callpath
