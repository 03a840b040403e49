// The C interface. Errors become texts here; nothing is thrown into the caller.
#include "callpath/callpath.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <memory>
#include <sstream>

#include "api/own_process.hpp"
#include "core/error.hpp"
#include "record/write_file.hpp"
#include "views/html.hpp"
#include "views/terminal.hpp"

using namespace callpath;

// Where the linker says that this library begins and ends.
extern "C" const char __ehdr_start __attribute__((visibility("hidden")));
extern "C" const char _end __attribute__((visibility("hidden")));

struct callpath_recording {
  Recording recording;
};

namespace {

thread_local std::string last_error;

/// Runs it; 0, or -1 with the reason kept.
template <class Body>
int guarded(Body body) {
  last_error.clear();
  try {
    body();
    return 0;
  } catch (const Error& error) {
    last_error = error.what();
    if (!error.mend().empty()) last_error += ". " + error.mend();
  } catch (const std::exception& error) {
    last_error = error.what();
  } catch (...) {
    last_error = "something that is no std::exception was thrown";
  }
  return -1;
}

char* copied(const std::string& text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

template <class Text>
char* guarded_text(Text text) {
  char* result = nullptr;
  guarded([&] { result = copied(text()); });
  return result;
}

void refresh_modules() {
  if (!capture::refresh_modules()) throw Error("more files are loaded than a walk can know");
}

/// The interpreter in this process, once it was found; it never goes.
struct Python {
  capture::PythonPlaces places;
  const void* (*thread_state)() = nullptr;
};
Python python;
std::atomic<bool> python_known{false};

void look_for_python() {
  if (python_known) return;
  const auto places = api::OwnProcess::get().python();
  const auto state = reinterpret_cast<const void* (*)()>(dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState"));
  if (!places || !state) return;
  python = {*places, state};
  python_known.store(true, std::memory_order_release);
}

constexpr std::size_t most_frames = 1 << 17;

/// Frames of this library are none of the caller's.
bool is_own(std::uint64_t pc) {
  return pc >= reinterpret_cast<std::uint64_t>(&__ehdr_start) && pc < reinterpret_cast<std::uint64_t>(&_end);
}

static_assert(sizeof(callpath_frame) == sizeof(capture::Point));
static_assert(static_cast<int>(capture::End::gave_up) == CALLPATH_GAVE_UP);
static_assert(static_cast<int>(capture::End::bad_stack) == CALLPATH_BAD_STACK);

}  // namespace

extern "C" {

const char* callpath_error() { return last_error.c_str(); }
const char* callpath_version() { return CALLPATH_VERSION; }

int callpath_refresh_modules() {
  return guarded([] {
    const auto used = api::OwnProcess::use();
    refresh_modules();
    look_for_python();
  });
}

size_t callpath_capture(callpath_frame* frames, size_t capacity, callpath_end* end) {
  const auto walk = capture::trace_here(reinterpret_cast<capture::Point*>(frames), capacity);
  if (end) *end = static_cast<callpath_end>(walk.end);
  std::size_t own = 0;
  while (own < walk.count && is_own(frames[own].pc)) ++own;
  for (std::size_t i = own; i < walk.count; ++i) frames[i - own] = frames[i];
  return walk.count - own;
}

static_assert(sizeof(callpath_python_frame) == sizeof(capture::PythonPoint));

size_t callpath_capture_merged(callpath_frame* frames, size_t capacity, callpath_python_frame* pythons, size_t python_capacity,
                               size_t* python_count, callpath_end* end) {
  const bool known = python_known.load(std::memory_order_acquire);
  const auto walk =
      capture::trace_merged_here(python.places, known ? python.thread_state() : nullptr, reinterpret_cast<capture::Point*>(frames),
                                 capacity, reinterpret_cast<capture::PythonPoint*>(pythons), python_capacity);
  if (end) *end = static_cast<callpath_end>(walk.native.end);
  if (python_count) *python_count = walk.python_count;
  std::size_t own = 0;
  while (own < walk.native.count && is_own(frames[own].pc)) ++own;
  for (std::size_t i = own; i < walk.native.count; ++i) frames[i - own] = frames[i];
  for (std::size_t i = 0; i < walk.python_count; ++i)
    if (pythons[i].native != CALLPATH_NOWHERE) pythons[i].native -= static_cast<std::uint32_t>(own);
  return walk.native.count - own;
}

const char* callpath_end_text(callpath_end end) { return capture::text(static_cast<capture::End>(end)); }

callpath_recording* callpath_recording_new() {
  callpath_recording* made = nullptr;
  guarded([&] {
    auto recording = std::make_unique<callpath_recording>();
    api::describe_target(recording->recording);
    made = recording.release();
  });
  return made;
}

void callpath_recording_free(callpath_recording* recording) { delete recording; }

int callpath_record_here(callpath_recording* recording, const char* label, const char* beyond) {
  return guarded([&] {
    const auto used = api::OwnProcess::use();
    refresh_modules();
    const auto frames = std::make_unique<capture::Frame[]>(most_frames);
    const auto walk = capture::walk_here(frames.get(), most_frames);
    std::size_t own = 0;
    while (own < walk.count && is_own(frames[own].pc)) ++own;
    const auto stack = api::raw_stack(frames.get() + own, walk.count - own, walk.end);
    api::OwnProcess::get().add(recording->recording, stack, label ? label : "", beyond ? beyond : "");
  });
}

int callpath_record_frames(callpath_recording* recording, const char* label, const callpath_frame* frames, size_t count, callpath_end end) {
  return guarded([&] {
    const auto used = api::OwnProcess::use();
    std::vector<capture::Frame> raw(count);
    for (std::size_t i = 0; i < count; ++i) {
      raw[i].pc = frames[i].pc;
      raw[i].sp = callpath_frame_sp(frames[i]);
      raw[i].exact_pc = frames[i].sp_exact & 1;
    }
    auto stack = api::raw_stack(raw.data(), count, static_cast<capture::End>(end));
    stack.tid = 0;  // No thread: neither Python frames nor registers are to be had any more.
    for (auto& frame : stack.frames) frame.registers.known = 0;
    api::OwnProcess::get().add(recording->recording, stack, label ? label : "", "");
  });
}

int callpath_load(callpath_recording* recording, const char* path) {
  return guarded([&] { recording->recording = load(path); });
}

int callpath_load_text(callpath_recording* recording, const char* json) {
  return guarded([&] { recording->recording = from_json_text(json, "the record"); });
}

size_t callpath_event_count(const callpath_recording* recording) { return recording->recording.events.size(); }

int callpath_save(const callpath_recording* recording, const char* path) {
  return guarded([&] { save(recording->recording, path); });
}

int callpath_write_html(const callpath_recording* recording, const char* path, const char* language) {
  return guarded([&] {
    HtmlOptions options;
    if (language && *language) options.language = language;
    write_file(path, [&](std::ostream& out) { write_html(out, recording->recording, options); });
  });
}

char* callpath_json(const callpath_recording* recording) {
  return guarded_text([&] { return to_json_text(recording->recording); });
}

char* callpath_show(const callpath_recording* recording, size_t event, int width, int colours) {
  return guarded_text([&] {
    auto options = terminal_options_from_environment(!colours);
    options.utf8 = true;
    if (width > 0) options.width = width;
    return terminal(recording->recording, event, options);
  });
}

void callpath_text_free(char* text) { std::free(text); }
}
