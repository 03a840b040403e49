// This process as the parts of a session see a stopped one.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "api/python_places.hpp"
#include "capture/capture.hpp"
#include "core/memory.hpp"
#include "core/raw_stack.hpp"
#include "record/record.hpp"
#include "session/modules.hpp"
#include "symbols/symbols.hpp"
#include "tables/table_names.hpp"

namespace callpath::api {

/// Through the kernel: a wrong address is an answer, no fault.
class OwnMemory : public Memory {
 public:
  bool read(Address from, void* to, std::size_t size) const override;
};

/// What is known of this process: files, names. One thread at a time. A forked child begins anew.
class OwnProcess {
 public:
  /// Held while it is used.
  static std::unique_lock<std::mutex> use();
  static OwnProcess& get();

  OwnProcess();
  void refresh() { table_.refresh(); }

  /// Where the interpreter that is loaded keeps its frames; nothing if there is none or it is not known.
  std::optional<capture::PythonPlaces> python();

  /// Appends the event of a stack to a recording, annotated. With `beyond`, as callpath_record_here says.
  void add(Recording&, const RawStack&, const std::string& label, const std::string& beyond);

 private:
  OwnMemory memory_;
  session::ModuleTable table_;
  Symbols symbols_;
  tables::TableNames tables_{symbols_};
  std::string start_directory_;
};

RawStack raw_stack(const capture::Frame* frames, std::size_t count, capture::End end);

/// What a recording says of the program: arguments, executable, processor.
void describe_target(Recording&);

/// Takes out what lies inward of the outermost Python frame of a file, that one too. Nothing if there is none.
void leave_out_inward(Event&, const std::string& file);

}  // namespace callpath::api
