// Stacks in memory made by hand: what a real interpreter seldom or never shows. Real ones are compared with their own reports in
// tests/python.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>

#include "python/frames.hpp"
#include "python/layout.h"

namespace callpath {
namespace {

class FakeMemory : public Memory {
 public:
  bool read(Address from, void* to, std::size_t size) const override {
    for (std::size_t i = 0; i < size; ++i) {
      const auto byte = bytes_.find(from.value + i);
      if (byte == bytes_.end()) return false;
      static_cast<std::uint8_t*>(to)[i] = byte->second;
    }
    return true;
  }
  template <class T>
  void put(std::uint64_t at, T value) {
    std::uint8_t raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    for (std::size_t i = 0; i < sizeof value; ++i) bytes_[at + i] = raw[i];
  }
  void zeros(std::uint64_t at, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) bytes_[at + i] = 0;
  }
  void forget(std::uint64_t at) { bytes_.erase(at); }
  std::vector<std::uint64_t> addresses() const {
    std::vector<std::uint64_t> out;
    for (const auto& [at, byte] : bytes_) out.push_back(at);
    return out;
  }

 private:
  std::map<std::uint64_t, std::uint8_t> bytes_;
};

const callpath_python_layout& layout = callpath_layout_3_11;
constexpr std::int64_t tid = 77;

// One interpreter, one thread, code objects and frames as a test asks for.
class FakePython {
 public:
  static constexpr std::uint64_t runtime = 0x10000, interpreter_at = 0x20000, thread = 0x30000, root = 0x38000, code_type = 0x1234560;

  FakePython() {
    memory.zeros(runtime, 0x200);
    memory.zeros(interpreter_at, 0x200);
    memory.zeros(thread, 0x400);
    memory.zeros(root, 0x40);
    memory.put<std::uint64_t>(runtime + layout.runtime_interpreters_head, interpreter_at);
    memory.put<std::uint64_t>(interpreter_at + layout.interpreter_threads_head, thread);
    memory.put<std::uint64_t>(thread + layout.thread_interpreter, interpreter_at);
    memory.put<std::uint64_t>(thread + layout.thread_native_id, tid);
    memory.put<std::uint64_t>(thread + layout.thread_cframe, root);
    interpreter.runtime = Address{runtime};
    interpreter.code_type = Address{code_type};
    interpreter.hex_version = 0x030b02f0;
    interpreter.supported = true;
  }

  std::uint64_t allocate(std::size_t size) {
    const std::uint64_t at = next_;
    next_ += (size + 0xff) & ~0xffull;
    memory.zeros(at, size);
    return at;
  }

  std::uint64_t text(const std::string& ascii) {
    const std::uint64_t at = allocate(layout.text_ascii_data + ascii.size() + 1);
    memory.put<std::int64_t>(at + layout.text_length, static_cast<std::int64_t>(ascii.size()));
    memory.put<std::uint32_t>(at + layout.text_state, 1 << 2 | 1 << 5 | 1 << 6 | 1 << 7);
    for (std::size_t i = 0; i < ascii.size(); ++i) memory.put(at + layout.text_ascii_data + i, ascii[i]);
    return at;
  }

  std::uint64_t code(const std::string& name, int units = 8, int first_traceable = 0) {
    const std::uint64_t at = allocate(layout.code_bytes + 2 * static_cast<std::size_t>(units));
    const std::uint64_t empty = allocate(64);
    memory.put<std::uint64_t>(at + layout.object_type, code_type);
    memory.put<std::int64_t>(at + layout.var_size, units);
    memory.put<std::int32_t>(at + layout.code_first_line, 1);
    memory.put<std::int32_t>(at + layout.code_first_traceable, first_traceable);
    for (const auto field : {layout.code_name, layout.code_qualname, layout.code_file}) memory.put<std::uint64_t>(at + field, text(name));
    for (const auto field : {layout.code_line_table, layout.code_names}) memory.put<std::uint64_t>(at + field, empty);
    return at;
  }

  std::uint64_t frame(std::uint64_t code_at, int unit, std::uint64_t previous, bool entry, std::uint8_t owner = 0) {
    const std::uint64_t at = allocate(layout.frame_size);
    memory.put(at + layout.frame_code, code_at);
    memory.put(at + layout.frame_previous, previous);
    memory.put(at + layout.frame_instruction,
               code_at + layout.code_bytes + 2 * static_cast<std::uint64_t>(static_cast<std::int64_t>(unit)));
    memory.put<std::uint8_t>(at + layout.frame_is_entry, entry);
    memory.put(at + layout.frame_owner, owner);
    return at;
  }

  // A new innermost evaluation that runs `current`.
  std::uint64_t enter(std::uint64_t current) {
    const std::uint64_t at = stack_ -= 0x100;
    memory.zeros(at, 0x20);
    memory.put(at + layout.cframe_current_frame, current);
    memory.put(at + layout.cframe_previous, *memory.get<std::uint64_t>({thread + layout.thread_cframe}));
    memory.put(thread + layout.thread_cframe, at);
    return at;
  }

  PythonStack read() const { return read_python_stack(interpreter, memory, tid); }
  std::string names() const {
    std::string out;
    for (const auto& run : read().runs) {
      out += out.empty() ? "" : " |";
      for (const auto& f : run.frames) out += (out.empty() ? "" : " ") + f.code.qualname;
    }
    return out;
  }

  FakeMemory memory;
  Interpreter interpreter;

 private:
  std::uint64_t next_ = 0x100000, stack_ = 0x7fff0000;
};

TEST(PythonStack, RunsEndAtTheFrameThatWasEnteredFromC) {
  FakePython python;
  const auto module = python.frame(python.code("<module>"), 3, 0, true);
  python.enter(module);
  const auto f = python.frame(python.code("f"), 2, module, true);
  python.enter(python.frame(python.code("g"), 1, f, false));
  EXPECT_EQ(python.names(), "g f | <module>");
  const auto stack = python.read();
  EXPECT_EQ(stack.runs[0].frames[0].instruction_offset, 2);
  EXPECT_LT(stack.runs[0].anchor, stack.runs[1].anchor);
  EXPECT_EQ(stack.note, "");
}

TEST(PythonStack, AFrameThatIsStillBeingEnteredIsLeftOutAndNamed) {
  FakePython python;
  const auto module = python.frame(python.code("<module>"), 3, 0, true);
  const auto entered = python.code("f", 8, 2);
  python.enter(python.frame(entered, 1, module, false));
  EXPECT_EQ(python.names(), "<module>");
  EXPECT_EQ(python.read().note, "f is being entered");
  FakePython generator;
  const auto begun = generator.code("f", 8, 2);
  generator.enter(generator.frame(begun, 1, 0, true, layout.owner_generator));
  EXPECT_EQ(generator.names(), "f") << "the public API counts a generator's frame as complete";
}

TEST(PythonStack, AnEvaluationWhoseOnlyFrameIsBeingEnteredKeepsItsRun) {
  FakePython python;
  const auto module = python.frame(python.code("<module>"), 3, 0, true);
  python.enter(module);
  python.enter(python.frame(python.code("f", 8, 2), -1, module, true));
  ASSERT_EQ(python.read().runs.size(), 2u);
  EXPECT_TRUE(python.read().runs[0].frames.empty());
}

TEST(PythonStack, LinksThatRunInACircleEndWithANote) {
  FakePython python;
  const auto f = python.frame(python.code("f"), 1, 0, false);
  python.memory.put(f + layout.frame_previous, f);
  python.enter(f);
  EXPECT_EQ(python.names(), "f");
  EXPECT_NE(python.read().note.find("circle"), std::string::npos);
}

TEST(PythonStack, CFrameRecordsThatRunInACircleEnd) {
  FakePython python;
  const auto record = python.enter(python.frame(python.code("f"), 1, 0, true));
  python.memory.put(record + layout.cframe_previous, record);
  EXPECT_EQ(python.names(), "f");
  EXPECT_NE(python.read().note, "");
}

TEST(PythonStack, WhatIsNoCodeObjectIsNoFrame) {
  FakePython python;
  const auto code = python.code("f");
  python.memory.put<std::uint64_t>(code + layout.object_type, 0xdead0);
  python.enter(python.frame(code, 1, 0, true));
  EXPECT_EQ(python.names(), "");
  EXPECT_NE(python.read().note.find("no readable code object"), std::string::npos);
}

TEST(PythonStack, AbsurdLengthsAreRefused) {
  for (const std::int64_t length : {std::int64_t{-1}, std::int64_t{1} << 60}) {
    FakePython python;
    const auto code = python.code("f");
    python.memory.put(code + layout.var_size, length);
    python.enter(python.frame(code, 1, 0, true));
    EXPECT_EQ(python.names(), "");
  }
}

TEST(PythonStack, AVersionThatIsNotKnownIsSaidAndNothingRead) {
  FakePython python;
  python.enter(python.frame(python.code("f"), 1, 0, true));
  python.interpreter.supported = false;
  python.interpreter.why_not = "Python frames of CPython 3.15.0 cannot be read yet";
  const auto stack = python.read();
  EXPECT_TRUE(stack.runs.empty());
  EXPECT_EQ(stack.note, python.interpreter.why_not);
}

TEST(PythonStack, AThreadWithoutAStateHasNoFrames) {
  FakePython python;
  const auto stack = read_python_stack(python.interpreter, python.memory, 1);
  EXPECT_FALSE(stack.found);
  EXPECT_EQ(stack.note, "no Python thread state");
}

// Any byte that cannot be read or is another: an answer, perhaps with a note, never a crash or an endless walk.
/// Another thread's state, first in the list, is taken off while it is read: for a while its link leads astray.
class ChangingMemory : public Memory {
 public:
  ChangingMemory(const FakeMemory& memory, std::uint64_t link, int times) : memory_(memory), link_(link), times_(times) {}
  bool read(Address from, void* to, std::size_t size) const override {
    if (from.value != link_ || times_-- <= 0) return memory_.read(from, to, size);
    std::memset(to, 0x5a, size);
    return true;
  }

 private:
  const FakeMemory& memory_;
  std::uint64_t link_;
  mutable int times_;
};

PythonStack read_while_another_thread_ends(int times) {
  constexpr std::uint64_t other = 0x90000;
  FakePython python;
  python.enter(python.frame(python.code("f"), 1, 0, true));
  python.memory.zeros(other, 0x400);
  python.memory.put<std::uint64_t>(other + layout.thread_interpreter, FakePython::interpreter_at);
  python.memory.put<std::uint64_t>(other + layout.thread_next, FakePython::thread);
  python.memory.put<std::uint64_t>(FakePython::interpreter_at + layout.interpreter_threads_head, other);
  return read_python_stack(python.interpreter, ChangingMemory(python.memory, other + layout.thread_next, times), tid);
}

TEST(PythonStack, AThreadIsFoundWhileTheListOfThreadsChanges) {
  const auto stack = read_while_another_thread_ends(20);
  ASSERT_EQ(stack.runs.size(), 1u);
  EXPECT_EQ(stack.note, "");
}

TEST(PythonStack, AListThatStaysTornIsNotTakenForAThreadWithoutAState) {
  const auto stack = read_while_another_thread_ends(1'000'000);
  EXPECT_FALSE(stack.found);
  EXPECT_EQ(stack.note, "the list of Python's threads could not be read whole");
}

TEST(PythonStack, AStateMadeForANewThreadDoesNotHideThatOfItsMaker) {
  constexpr std::uint64_t made = 0x90000, empty = 0x98000;
  FakePython python;
  python.enter(python.frame(python.code("f"), 1, 0, true));
  python.memory.zeros(made, 0x400);
  python.memory.zeros(empty, 0x40);
  python.memory.put<std::uint64_t>(made + layout.thread_interpreter, FakePython::interpreter_at);
  python.memory.put<std::uint64_t>(made + layout.thread_native_id, tid);
  python.memory.put<std::uint64_t>(made + layout.thread_cframe, empty);
  python.memory.put<std::uint64_t>(made + layout.thread_next, FakePython::thread);
  python.memory.put<std::uint64_t>(FakePython::interpreter_at + layout.interpreter_threads_head, made);
  EXPECT_EQ(python.names(), "f");
}

TEST(PythonStack, DamagedMemoryIsSurvived) {
  std::mt19937 random(9);
  for (int round = 0; round < 400; ++round) {
    FakePython python;
    const auto module = python.frame(python.code("<module>"), 3, 0, true);
    python.enter(module);
    python.enter(python.frame(python.code("f"), 2, module, true));
    const auto addresses = python.memory.addresses();
    for (int i = 0; i < 4; ++i) {
      const auto at = addresses[random() % addresses.size()];
      if (random() % 2)
        python.memory.forget(at);
      else
        python.memory.put(at, static_cast<std::uint8_t>(random()));
    }
    python.read();
  }
}

TEST(Version, IsWrittenAsPythonWritesIt) {
  EXPECT_EQ(version_text(0x030b02f0), "3.11.2");
  EXPECT_EQ(version_text(0x030c00c1), "3.12.0rc1");
  EXPECT_EQ(version_text(0x030e00a7), "3.14.0a7");
}

TEST(Decode, OffsetsOutsideTheCodeAreNoInstruction) {
  const RawCode code{{151, 0, 83, 0}, {}, 1, {}, 0, 0x030b02f0};  // RESUME, RETURN_VALUE
  EXPECT_EQ(decode_instruction(code, 2)->opcode, "RETURN_VALUE");
  EXPECT_EQ(decode_instruction(code, -1), std::nullopt);
  EXPECT_EQ(decode_instruction(code, 4), std::nullopt);
  RawCode other = code;
  other.hex_version = 0x030e00f0;
  EXPECT_FALSE(can_decode(other.hex_version));
  EXPECT_EQ(decode_instruction(other, 0), std::nullopt);
  EXPECT_TRUE(decode_all(other).empty());
}

TEST(Decode, AnyBytesAreDecoded) {
  std::mt19937 random(13);
  for (int round = 0; round < 500; ++round) {
    RawCode code{{}, {}, 1, {"a"}, 0, 0x030b02f0};
    for (std::size_t i = 0, n = random() % 100; i < n; ++i) code.bytecode.push_back(static_cast<std::uint8_t>(random()));
    for (std::size_t i = 0, n = random() % 100; i < n; ++i) code.line_table.push_back(static_cast<std::uint8_t>(random()));
    decode_all(code);
    operations_of_statement(code, static_cast<int>(random() % 120) - 10);
  }
}

}  // namespace
}  // namespace callpath
