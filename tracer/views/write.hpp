// Writing a report to a file.
#pragma once

#include "record/write_file.hpp"  // IWYU pragma: export
