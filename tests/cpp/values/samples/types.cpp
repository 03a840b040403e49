// Values of every kind, alive in frames that wait for `stop_here`.
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

extern "C" __attribute__((noinline)) void stop_here(const void* keep) { asm volatile("" : : "r"(keep) : "memory"); }

namespace shapes {

enum Colour { red, green = 5, blue };
enum class Layout : std::int8_t { strided = -1, sparse = 2 };
enum Flags { none = 0, first = 1, second = 2, third = 4 };

struct Point {
  int x, y;
};
struct Base {
  virtual ~Base() = default;
  int in_base = 7;
};
struct Derived : Base {
  double in_derived = 2.5;
  Point* where = nullptr;
};
struct Bits {
  unsigned low : 3;
  int middle : 5;
  bool top : 1;
  unsigned long long wide : 40;
};
union Either {
  int whole;
  float part;
};
struct Empty {};
struct Nested {
  Point corner[2];
  struct {
    int hidden;
  };
  Empty nothing;
  const char* label;
};
template <class T, int N>
struct Box {
  T items[N];
  template <class U>
  __attribute__((noinline)) T pick(U index, T fallback) const {
    stop_here(this);
    return index < N ? items[static_cast<int>(index)] : fallback;
  }
};

}  // namespace shapes

using Number = float;
typedef const volatile int Watched;

__attribute__((noinline)) int integers(bool yes, char letter, signed char small, unsigned char byte, short s, unsigned short us, int i,
                                       unsigned u, long l, unsigned long ul, long long ll) {
  bool no = false;
  char newline = '\n', zero = 0, quote = '\'';
  wchar_t wide = L'w';
  char16_t sixteen = u'x';
  char32_t thirty_two = U'y';
  __int128 huge = static_cast<__int128>(1) << 100;
  std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  std::byte raw{17};
  Watched watched = 3;
  stop_here(&no);
  return yes + letter + small + byte + s + us + i + static_cast<int>(u + l + ul + ll) + newline + zero + quote + static_cast<int>(wide) +
         sixteen + static_cast<int>(thirty_two) + static_cast<int>(huge) + static_cast<int>(lowest) + static_cast<int>(raw) + watched + no;
}

__attribute__((noinline)) double floats(float f, double d, long double ld, Number n) {
  float tenth = 0.1f, infinite = std::numeric_limits<float>::infinity(), base = -1.1523602f, whole = 3;
  double minus_infinite = -std::numeric_limits<double>::infinity(), not_a_number = std::numeric_limits<double>::quiet_NaN(), tiny = 5e-324,
         third = 1.0 / 3;
  stop_here(&tenth);
  return f + d + static_cast<double>(ld) + n + tenth + infinite + base + whole + minus_infinite + not_a_number + tiny + third;
}

__attribute__((noinline)) int compound(const shapes::Point& point, shapes::Point* pointer, const shapes::Base& polymorphic,
                                       int (*function)(int), const char* text, const char* null) {
  int row[4] = {1, 2, 3, 4}, grid[2][3] = {{1, 2, 3}, {4, 5, 6}}, zeros[40] = {};
  char name[20] = "abc", full[3] = {'x', 'y', 'z'};
  shapes::Colour colour = shapes::blue, strange = static_cast<shapes::Colour>(77);
  shapes::Layout layout = shapes::Layout::strided;
  shapes::Flags flags = static_cast<shapes::Flags>(shapes::first | shapes::third), no_flags = shapes::none;
  shapes::Bits bits = {5, -3, true, 123456789012};
  shapes::Either either = {.whole = 1065353216};
  shapes::Derived derived;
  shapes::Nested nested = {{{1, 2}, {3, 4}}, {9}, {}, "label"};
  shapes::Empty empty;
  shapes::Point&& temporary = shapes::Point{8, 9};
  shapes::Point** twice = &pointer;
  int shapes::Point::*member = nullptr;
  std::array<int, 3> fixed = {7, 8, 9};
  std::vector<long> growing = {10, 20, 30};
  std::string greeting = "hello, \"world\"";
  long count = 2;
  const long* strides = growing.data();
  stop_here(&row);
  return row[0] + grid[1][1] + zeros[3] + name[1] + full[0] + colour + strange + static_cast<int>(layout) + flags + no_flags + bits.middle +
         either.whole + derived.in_base + nested.hidden + temporary.x + (*twice)->x + (member == nullptr) + fixed[0] +
         static_cast<int>(growing[0]) + point.x + pointer->y + polymorphic.in_base + function(1) + (text ? text[0] : 0) + (null ? 1 : 0) +
         static_cast<int>(greeting.size()) + static_cast<int>(count + strides[0]) + static_cast<int>(sizeof empty);
}

__attribute__((noinline)) int blocks(int outer) {
  int total = outer;
  static int calls = 41;
  for (int i = 0; i < 2; ++i) {
    int shadow = i * 10;
    {
      int shadow = 99;
      if (i == 1) stop_here(&shadow);
      total += shadow;
    }
    total += shadow;
  }
  return total + ++calls;
}

template <class T>
__attribute__((noinline)) T with_lambda(T value, double exponent) {
  T captured = value * 2;
  auto inner = [&captured, exponent](T base) {
    stop_here(&base);
    return captured + base + static_cast<T>(exponent);
  };
  return inner(value);
}

static inline __attribute__((always_inline)) int doubled(int number) {
  int twice = number * 2;
  stop_here(&twice);
  return twice;
}
__attribute__((noinline)) int inlining(int given) { return doubled(given + 1) + given; }

__attribute__((noinline)) float registers(float base, int n, shapes::Point point, double wide) {
  asm volatile("" : "+x"(base), "+r"(n), "+x"(wide));
  return base * base * base + static_cast<float>(n + point.x + wide);
}

__attribute__((noinline)) int lost(int argument) {
  int gone = argument * 3;
  stop_here(nullptr);
  return gone == 12345 ? 1 : 0;
}

int successor(int i) { return i + 1; }

int main(int argc, char**) {
  shapes::Point point = {3, 4};
  shapes::Derived derived;
  shapes::Box<double, 3> box = {{0.5, 1.5, 2.5}};
  double sum = integers(argc > 0, 'a', -5, 250, -300, 60000, -70000, 4000000000u, -5000000000, 18000000000000000000u, -1);
  sum += floats(1.5f, -2.25, 3.125L, 0.333f);
  sum += compound(point, &point, derived, successor, "some text", nullptr);
  sum += blocks(argc);
  sum += with_lambda<float>(1.25f, 3.0);
  sum += inlining(20);
  sum += box.pick<long>(1, 9.5);
  sum += registers(-1.1523602f, 17, point, 0.125);
  sum += lost(argc);
  return sum == 1;
}
