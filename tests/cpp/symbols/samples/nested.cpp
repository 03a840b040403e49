// Lambdas in lambdas in templates in an anonymous namespace.
volatile float sink;
namespace deep {
namespace {
template <class T>
struct Kernel {
  template <class F>
  __attribute__((noinline)) static void loop(F f) {
    for (int i = 0; i < 3; ++i) f(static_cast<T>(i));
  }
  __attribute__((noinline)) static void run(T scale) {
    loop([scale](T a) {
      auto inner = [a, scale](T b) __attribute__((noinline)) { sink = static_cast<float>(a * b * scale); };
      inner(a + 1);
    });
  }
};
}  // namespace
void go() {
  Kernel<float>::run(2);
  Kernel<double>::run(3);
}
}  // namespace deep
int main() { deep::go(); }
