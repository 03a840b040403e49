// The functions of the stand-in that leave by a jump; compiled with -O2.
#define SHARED __attribute__((visibility("default")))  // called through the PLT

namespace engine {
struct Iterator;
namespace native {
using Kernel = void (*)(Iterator&, double);
struct Stub {
  Kernel choice;
  void operator()(Iterator& iter, double exp) { (*choice)(iter, exp); }
};
extern Stub stub;
inline namespace TEST {
void kernel(Iterator& iter, double exp);
}

/// By an indirect jump, out of an inlined operator().
SHARED void impl(Iterator& iter, double exp) { stub(iter, exp); }

/// By a jump to a function that is named.
SHARED void straight(Iterator& iter, double exp) { kernel(iter, exp); }

/// By a jump to a function that itself leaves by a jump.
SHARED void twice(Iterator& iter, double exp) { impl(iter, exp + 0); }

}  // namespace native
}  // namespace engine
