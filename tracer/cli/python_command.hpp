// `callpath python`: everything after it belongs to Python, so it is taken out before the command line is parsed.
#pragma once

namespace callpath::cli {

/// True for `callpath python ...` unless its own help is asked for (`callpath python --help` alone).
bool is_python_call(int argc, char** argv);

/// Becomes the target Python; throws Error if that is impossible.
[[noreturn]] void run_python(int argc, char** argv);

}  // namespace callpath::cli
