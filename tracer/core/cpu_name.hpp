// What the processor calls itself.
#pragma once

#include <string>

namespace callpath {

/// "model name" of /proc/cpuinfo; empty if it cannot be read.
std::string cpu_name();

}  // namespace callpath
