#include "views/profiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <tuple>

#include "core/error.hpp"
#include "explain/names.hpp"
#include "explain/text.hpp"

namespace callpath {
namespace {

using Json = nlohmann::json;

void need_events(const Recording& recording) {
  if (recording.events.empty())
    throw Error("the recording has no events: there is no path to show", "Record again; `callpath run` says why a stop was not reached.");
}

std::string json_text(const std::string& text) { return Json(printable(text)).dump(); }

// Outermost first. Frames that left are no part of a stack.
std::vector<const Frame*> stack_of(const Event& event) {
  std::vector<const Frame*> out;
  for (auto f = event.frames.rbegin(); f != event.frames.rend(); ++f)
    if (f->kind != Kind::elided) out.push_back(&*f);
  return out;
}

std::string name_of(const Frame& frame) {
  auto name = printable(frame.name.empty() ? frame.full : frame.name);
  return name.empty() ? "?" : name;
}

int line_of(const Frame& frame) { return frame.source && frame.source->line ? *frame.source->line : 0; }

using Key = std::tuple<std::string, std::string, int>;
Key key_of(const Frame& frame) { return {name_of(frame), frame.source ? frame.source->file : "", line_of(frame)}; }

std::map<std::int64_t, std::vector<const Event*>> by_thread(const Recording& recording) {
  std::map<std::int64_t, std::vector<const Event*>> out;
  for (const auto& event : recording.events) out[event.thread.tid].push_back(&event);
  return out;
}

std::string thread_name(const Event& event) {
  auto name = event.thread.name.empty() ? "thread" : event.thread.name;
  return event.thread.tid ? fmt::format("{} {}", name, event.thread.tid) : name;
}

}  // namespace

void write_collapsed(std::ostream& out, const Recording& recording) {
  need_events(recording);
  std::map<std::string, long> stacks;
  for (const auto& event : recording.events) {
    std::string line;
    for (const auto* frame : stack_of(event)) {
      auto name = name_of(*frame);
      std::replace(name.begin(), name.end(), ';', ':');  // a semicolon separates frames
      line += (line.empty() ? "" : ";") + name;
    }
    ++stacks[line];
  }
  for (const auto& [line, count] : stacks) out << line << ' ' << count << '\n';
}

void write_speedscope(std::ostream& out, const Recording& recording) {
  need_events(recording);
  std::map<Key, std::size_t> indices;
  std::vector<const Frame*> frames;
  for (const auto& event : recording.events)
    for (const auto* frame : stack_of(event))
      if (indices.try_emplace(key_of(*frame), frames.size()).second) frames.push_back(frame);
  out << "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":"
      << json_text("callpath " + recording.producer.version)
      << ",\n\"name\":" << json_text(recording.target.argv.empty() ? "callpath" : file_name(recording.target.argv.back()))
      << ",\n\"activeProfileIndex\":0,\n";
  out << "\"shared\":{\"frames\":[";
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto& f = *frames[i];
    out << (i ? ",\n" : "\n") << "{\"name\":" << json_text(name_of(f));
    if (f.source && !f.source->file.empty()) out << ",\"file\":" << json_text(f.source->file);
    if (line_of(f) > 0) out << ",\"line\":" << line_of(f);
    out << "}";
  }
  out << "\n]},\n\"profiles\":[";
  bool first = true;
  for (const auto& [tid, events] : by_thread(recording)) {
    out << (first ? "\n" : ",\n") << "{\"type\":\"sampled\",\"name\":" << json_text(thread_name(*events[0]))
        << ",\"unit\":\"none\",\"startValue\":0,\"endValue\":" << events.size() << ",\n\"samples\":[";
    for (std::size_t i = 0; i < events.size(); ++i) {
      out << (i ? ",\n[" : "\n[");
      auto stack = stack_of(*events[i]);
      for (std::size_t n = 0; n < stack.size(); ++n) out << (n ? "," : "") << indices.at(key_of(*stack[n]));
      out << "]";
    }
    out << "],\n\"weights\":[";
    for (std::size_t i = 0; i < events.size(); ++i) out << (i ? ",1" : "1");
    out << "]}";
    first = false;
  }
  out << "\n]}\n";
}

namespace {

class Trace {
 public:
  Trace(std::ostream& out, const Recording& recording) : out_(out), recording_(recording) {}

  void write() {
    out_ << "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"exporter\":" << json_text("callpath " + recording_.producer.version)
         << ",\"time\":\"event i spans millisecond i\"},\n\"traceEvents\":[";
    auto program = recording_.target.argv.empty() ? "program" : file_name(recording_.target.argv.back());
    item("{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":" + json_text(program) + "}}");
    std::map<std::int64_t, std::vector<const Frame*>> open;
    std::map<std::int64_t, std::size_t> until;
    for (std::size_t i = 0; i < recording_.events.size(); ++i) {
      const auto& event = recording_.events[i];
      auto tid = event.thread.tid;
      auto [at, added] = open.try_emplace(tid);
      if (added)
        item(fmt::format("{{\"ph\":\"M\",\"pid\":1,\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":{}}}}}", tid,
                         json_text(thread_name(event))));
      // What another thread did in between was no part of this one's stack.
      if (!added && until[tid] != i) close(at->second, 0, tid, until[tid]);
      step(at->second, event, i);
      until[tid] = i + 1;
    }
    for (auto& [tid, stack] : open) close(stack, 0, tid, until[tid]);
    out_ << "\n]}\n";
  }

 private:
  void item(const std::string& text) {
    out_ << (first_ ? "\n" : ",\n") << text;
    first_ = false;
  }

  void close(std::vector<const Frame*>& stack, std::size_t depth, std::int64_t tid, std::size_t when) {
    for (; stack.size() > depth; stack.pop_back()) item(fmt::format("{{\"ph\":\"E\",\"pid\":1,\"tid\":{},\"ts\":{}}}", tid, when * 1000));
  }

  void step(std::vector<const Frame*>& stack, const Event& event, std::size_t when) {
    auto now = stack_of(event);
    std::size_t same = 0;
    while (same < stack.size() && same < now.size() && key_of(*stack[same]) == key_of(*now[same])) ++same;
    close(stack, same, event.thread.tid, when);
    for (std::size_t n = same; n < now.size(); ++n) {
      const auto& f = *now[n];
      item(fmt::format("{{\"ph\":\"B\",\"pid\":1,\"tid\":{},\"ts\":{},\"name\":{},\"cat\":{},\"args\":{{\"place\":{}}}}}", event.thread.tid,
                       when * 1000, json_text(name_of(f)), json_text(to_string(f.layer)), json_text(place(f, recording_))));
      stack.push_back(&f);
    }
  }

  std::ostream& out_;
  const Recording& recording_;
  bool first_ = true;
};

}  // namespace

void write_perfetto(std::ostream& out, const Recording& recording) {
  need_events(recording);
  Trace(out, recording).write();
}

}  // namespace callpath
