// Types that have the name of one of elsewhere.hpp's, but are others.
extern "C" __attribute__((noinline)) void stop_here(const void* keep) { asm volatile("" : : "r"(keep) : "memory"); }

namespace shapes {
namespace {

struct Hidden {
  int wrong = -1;
};

}  // namespace

int wrong() { return Hidden{}.wrong; }

}  // namespace shapes

struct Hidden {
  int wrong_too = -2;
};
Hidden other;
