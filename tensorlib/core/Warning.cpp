#include "core/Warning.h"

#include <atomic>
#include <cstdio>

namespace tensorlib {

namespace {
void to_stderr(const std::string& message) { std::fprintf(stderr, "warning: %s\n", message.c_str()); }
std::atomic<WarningHandler> handler{&to_stderr};
}  // namespace

WarningHandler set_warning_handler(WarningHandler wanted) { return handler.exchange(wanted ? wanted : &to_stderr); }

void warn(const std::string& message) { handler.load()(message); }

}  // namespace tensorlib
