// `hot` calls `leaf` through two functions that are always inlined; `lam` runs a lambda through an inlined template.
volatile int sink;
__attribute__((noinline)) void leaf(int v) { sink = v; }

static inline __attribute__((always_inline)) void inl2(int v) {
  leaf(v * 3);  // line 6
  sink = 1;
}
static inline __attribute__((always_inline)) void inl1(int v) { inl2(v + 1); }           // line 9
extern "C" __attribute__((noinline)) void hot(int v) { inl1(v); sink = 2; }              // line 10

struct K {
  template <class F>
  static inline __attribute__((always_inline)) void run(F f) {
    f(7);  // line 15
    sink = 3;
  }
};
extern "C" __attribute__((noinline)) void lam() {
  K::run([](int v) __attribute__((always_inline)) { leaf(v); sink = 4; });  // line 20
}

__attribute__((cold, noinline)) static void chill(int v) { sink = v; }
extern "C" __attribute__((noinline)) int withcold(int x) {
  if (x > 1000) {
    chill(x);
    throw x;  // line 27
  }
  return x + sink;
}

static __attribute__((noinline)) int callee(int x) { return x * sink; }
extern "C" __attribute__((noinline)) int jumper(int x) { return callee(x + 1); }
extern "C" __attribute__((noinline)) int outer(int x) { return jumper(x) + 1; }
