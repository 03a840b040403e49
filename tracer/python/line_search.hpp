// The code objects of a Python file that hold a line, found from the module's own code object in memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/memory.hpp"
#include "python/frames.hpp"

namespace callpath {

/// A statement that stands on a line, in one code object.
struct FoundStatement {
  Address code;
  std::string qualname, file;
  StatementRange range;
  struct Begin {
    int offset = 0, operation = 0;  ///< What prepares a call (PRECALL) is the call's.
    std::string opcode;             ///< Of the operation.
    bool counts = false;            ///< It is an operation to a reader.
  };
  std::vector<Begin> instructions;  ///< Where its instructions begin, in order, and the offset of the operation that each is of.
  Address first_unit;               ///< Where its first instruction lies in memory; every execution that begins at its beginning reads it.
};

struct LineSearch {
  std::vector<FoundStatement> statements;  ///< Outer code objects before those that are defined in them.
  std::optional<int> next_line;            ///< If there is none: the next line that has code.
};

/// The file that a code object names; nothing if that is no code object.
std::optional<std::string> code_file(const Interpreter&, const Memory&, Address code);

/// Searches a code object and those among its constants.
LineSearch find_line(const Interpreter&, const Memory&, Address code, int line);

}  // namespace callpath
