// Functions whose stack must be aligned for 64-byte vectors: their prologue does that first.
typedef float Wide __attribute__((vector_size(64)));
volatile float sink;
__attribute__((noinline)) Wide twice(Wide a, float scale) {
  Wide b = a + a;
  Wide c = b * scale;
  return c;
}
__attribute__((noinline)) float sum(const Wide* a, int n) {
  Wide total = {};
  for (int i = 0; i < n; ++i) total += a[i];
  float all = 0;
  for (int i = 0; i < 16; ++i) all += total[i];
  return all;
}
int main(int argc, char**) {
  Wide a = {1, 2, 3};
  a = twice(a, static_cast<float>(argc));
  sink = sum(&a, argc);
}
