// The versions of CPython whose layout and opcodes are known. Private to python/.
#pragma once

#include <cstdint>

#include "python/layout.h"

namespace callpath {

struct PythonVersion {
  const callpath_python_layout* layout;
  const callpath_python_opcodes* opcodes;
};

/// Null if the version is not known; so are alphas, betas and candidates of a version, whose layout may differ.
const PythonVersion* find_version(std::uint32_t hex_version);

/// "3.11, 3.12 and 3.13".
inline constexpr const char* known_versions = "3.11, 3.12 and 3.13";

}  // namespace callpath
