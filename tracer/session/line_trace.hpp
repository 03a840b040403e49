// Point at a line of Python: while it runs, the deepest native path of each of its operations, without a probe of the user's.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "merge/merge.hpp"
#include "python/line_search.hpp"
#include "python/live.hpp"
#include "record/record.hpp"
#include "session/call_follower.hpp"
#include "session/data_watch.hpp"
#include "session/stopped.hpp"
#include "tables/table_names.hpp"

namespace callpath::session {

/// "learn1.py:12", with the file made absolute if it is there.
struct LineSpec {
  std::string text, file;
  int line = 0;
  bool exact = false;  ///< `file` is absolute; else it is the end of a path.

  /// Nothing if that is no line of Python: such a file ends in .py or is the program's script.
  static std::optional<LineSpec> parse(const std::string& text, const std::string& script);
  bool names(const std::string& file, const std::string& start_directory) const;
};

/// What is to be said if nothing was recorded.
struct LineOutcome {
  bool loaded = false;    ///< Code of that file was run.
  bool has_code = false;  ///< On that line.
  bool ran = false;
  std::optional<int> next_line;  ///< The next that has code.
  std::string stopped_early;     ///< Why following was given up; empty if it was not.
};

class LineTrace {
 public:
  struct Host {
    SharedMemory& shared;
    Probes& probes;
    const Memory& memory;  ///< As it would be without probes.
    const ModuleTable& modules;
    Symbols& symbols;
    tables::TableNames& tables;
    pid_t pid;
    std::string start_directory;
    Recording& recording;
  };

  LineTrace(LineSpec spec, int executions, Host host);
  ~LineTrace();

  /// To be called when files were loaded: an interpreter may be among them. Throws Error if it is one that cannot be followed.
  void look_at_modules();

  bool owns(Probes::Number) const;
  void on_probe(Probes::Number);
  void on_watch();
  /// The program is gone, or nothing more is wanted: what was seen goes into the recording.
  void finish();

  bool done() const { return done_; }
  int events() const { return events_; }
  const LineOutcome& outcome() const { return outcome_; }

 private:
  struct Candidate;
  struct Operation;

  void on_code(Address code);
  void watch_line();
  void begin(pid_t tid, Address frame);
  void go_on(Probes::Number);
  void consider(Address function);
  int score(Address function, const RawStack&);
  void keep(const RawStack&, int score);
  void assemble_waiting();
  void end_execution();
  void give_up(const std::string& why);
  void append_events();
  std::vector<Fact> facts_of(const Operation&, int frame);
  const FoundStatement::Begin& instruction_at(int offset) const;
  static bool shown(const Operation&);
  std::string left_out() const;
  std::string name_of(Address function);

  LineSpec spec_;
  int executions_left_;
  Host host_;
  CallFollower follower_;
  DataWatch watch_;
  std::optional<Interpreter> interpreter_;
  Module interpreter_module_;
  Address evaluation_;
  std::optional<Probes::Number> code_probe_;
  std::vector<FoundStatement> statements_;

  // Of the execution that is being followed.
  enum class State { waiting, starting, running } state_ = State::waiting;
  const FoundStatement* statement_ = nullptr;
  pid_t tid_ = 0;
  Address frame_;
  std::optional<LivePython> python_;
  std::map<int, Operation> operations_;  ///< By offset.
  Operation* current_ = nullptr;
  int stops_ = 0;
  std::chrono::steady_clock::time_point began_;
  std::unique_ptr<Candidate> waiting_;

  LineOutcome outcome_;
  bool done_ = false;
  int events_ = 0;
};

}  // namespace callpath::session
