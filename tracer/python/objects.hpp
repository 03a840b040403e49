// Python objects read from memory: text, bytes, tuples of text, code objects. Private to python/.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/memory.hpp"
#include "python/frames.hpp"
#include "python/versions.hpp"

namespace callpath {

/// Copies objects out, with every length capped. Code objects are copied once per object: valid only while the thread stays stopped.
class ObjectReader {
 public:
  ObjectReader(const Memory& memory, const PythonVersion& version, Address code_type)
      : memory_(memory), layout_(*version.layout), opcodes_(*version.opcodes), code_type_(code_type) {}

  /// A str as UTF-8, lone surrogates spelled out ("\udc80"). Nothing if it is none or is longer than 1 MB.
  std::optional<std::string> text(Address) const;
  std::optional<std::vector<std::uint8_t>> bytes(Address) const;
  std::vector<std::string> texts(Address tuple) const;  ///< As far as they can be read.

  struct Code {
    CodeInfo info;
    Address first_instruction;
    int first_traceable = 0;  ///< In code units; before it a frame counts as incomplete.
  };
  /// Null if that is not a code object.
  const Code* code(Address);

 private:
  std::optional<Code> read_code(Address) const;
  void restore_instrumented(Address code, std::vector<std::uint8_t>& bytecode) const;
  template <class T>
  std::optional<T> field(Address object, std::size_t at) const {
    return memory_.get<T>(object + at);
  }
  std::optional<std::vector<std::uint8_t>> copy(Address from, std::uint64_t size, std::uint64_t limit) const;
  std::optional<std::string> text_field(Address object, std::size_t at) const;

  const Memory& memory_;
  const callpath_python_layout& layout_;
  const callpath_python_opcodes& opcodes_;
  Address code_type_;
  std::unordered_map<std::uint64_t, std::optional<Code>> codes_;
};

}  // namespace callpath
