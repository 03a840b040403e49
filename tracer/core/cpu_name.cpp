#include "core/cpu_name.hpp"

#include <algorithm>
#include <fstream>

namespace callpath {

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(std::min(line.size(), line.find(':') + 2));
  return {};
}

}  // namespace callpath
