// One call a line, with nothing in between: a return address that is lowered twice, or not at all, names a neighbour.
#include <execinfo.h>

#include <cstdio>
#include <cstdlib>

volatile int sink;
extern "C" __attribute__((noinline)) void here() {
  void* frames[2];
  if (backtrace(frames, 2) == 2) std::printf("%p\n", frames[1]);
}

int main() {
  here();
  here();
  here();
  sink = 1;
  here();
  for (int i = 0; i < 2; ++i)
    here();
  here(); here();
  here();
  std::exit(0);
}
