// What the kernel behind a stub will do with an iterator: its branch, and the form of its loop.
#pragma once

#include <string>

#include "native/DispatchStub.h"

namespace tensorlib {

/// "base * base * base, since the exponent is 3"; empty for kernels with one branch.
std::string describe_branch(const native::StubCall& call);
/// "basic_loop: 10000 elements, strides 4 and 8 bytes"; empty without an iterator.
std::string describe_loop(const native::StubCall& call);

}  // namespace tensorlib
