// A program that checks its own arithmetic, so that a test sees whether a probe changed it. Its exit status is the number of wrong answers.
// Expected values are written by hand or come from the same comparison in C++.
#include <cstdint>
#include <cstdio>
#include <initializer_list>

using Function = std::uint64_t (*)(std::uint64_t, std::uint64_t);

#define DECLARE(name) extern "C" std::uint64_t name(std::uint64_t, std::uint64_t);
#define CONDITIONS(X) X(jo) X(jno) X(jb) X(jae) X(je) X(jne) X(jbe) X(ja) X(js) X(jns) X(jp) X(jnp) X(jl) X(jge) X(jle) X(jg)
#define ENTER(name) DECLARE(enter_##name)
CONDITIONS(ENTER)
ENTER(loop)
ENTER(loope)
ENTER(loopne)
ENTER(jrcxz) ENTER(call_register) ENTER(call_stack) ENTER(call_indexed) ENTER(ret_pop) DECLARE(kind_push) DECLARE(kind_load_relative)
    DECLARE(kind_address_relative) DECLARE(kind_compare_relative) DECLARE(kind_vector) DECLARE(kind_call) DECLARE(kind_call_relative_memory)
        DECLARE(kind_jump) DECLARE(kind_jump_memory) DECLARE(kind_ret)

            namespace {
  int wrong = 0;

  void expect(const char* what, std::uint64_t got, std::uint64_t wanted) {
    if (got == wanted) return;
    std::fprintf(stderr, "%s: %llu instead of %llu\n", what, static_cast<unsigned long long>(got), static_cast<unsigned long long>(wanted));
    ++wrong;
  }

  bool holds(const char* name, std::int64_t a, std::int64_t b) {
    auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
    std::int64_t difference;
    bool overflow = __builtin_sub_overflow(a, b, &difference);
    bool even = __builtin_parity(static_cast<unsigned>(difference & 0xff)) == 0;
    struct {
      const char* name;
      bool value;
    } const all[] = {{"jo", overflow},       {"jno", !overflow},       {"jb", ua < ub},   {"jae", ua >= ub},
                     {"je", a == b},         {"jne", a != b},          {"jbe", ua <= ub}, {"ja", ua > ub},
                     {"js", difference < 0}, {"jns", difference >= 0}, {"jp", even},      {"jnp", !even},
                     {"jl", a < b},          {"jge", a >= b},          {"jle", a <= b},   {"jg", a > b}};
    for (const auto& one : all)
      if (__builtin_strcmp(one.name, name) == 0) return one.value;
    return false;
  }

  void check_condition(const char* name, Function function) {
    const std::int64_t most = INT64_MAX, least = INT64_MIN;
    for (std::int64_t a : {std::int64_t{0}, std::int64_t{3}, std::int64_t{-7}, most, least})
      for (std::int64_t b : {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, std::int64_t{-7}, std::int64_t{-1}, most, least})
        expect(name, function(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)), holds(name, a, b));
  }

  void check_counts() {
    for (std::uint64_t zero : {0, 1}) {  // rdi == 0 sets the zero flag
      expect("loop", enter_loop(zero, 5), 2 * 4 + 1);
      expect("loop", enter_loop(zero, 1), 0);
      expect("jrcxz", enter_jrcxz(zero, 0), 1);
      expect("jrcxz", enter_jrcxz(zero, 7), 14);
    }
    expect("loope", enter_loope(0, 5), 2 * 4 + 1);
    expect("loope", enter_loope(1, 5), 2 * 4);
    expect("loope", enter_loope(0, 1), 0);
    expect("loopne", enter_loopne(0, 5), 2 * 4);
    expect("loopne", enter_loopne(1, 5), 2 * 4 + 1);
    expect("loopne", enter_loopne(1, 1), 0);
  }

}  // namespace

int main() {
  expect("push", kind_push(6, 0), 7);
  expect("load", kind_load_relative(2, 0), 42);
  expect("address", kind_address_relative(2, 0), 42);
  expect("compare", kind_compare_relative(2, 0), 3);
  if (__builtin_cpu_supports("avx2"))
    expect("vector", kind_vector(2, 0), 3);
  else
    kind_push(0, 0);
  expect("call", kind_call(2, 0), 3);
  expect("call register", enter_call_register(2, 0), 3);
  expect("call stack", enter_call_stack(2, 0), 3);
  expect("call indexed", enter_call_indexed(2, 0), 3);
  expect("call memory", kind_call_relative_memory(2, 0), 3);
  expect("jump", kind_jump(2, 0), 3);
  expect("jump memory", kind_jump_memory(2, 0), 3);
  kind_ret(2, 0);
  expect("ret pop", enter_ret_pop(2, 0), 3);
#define CHECK(name) check_condition(#name, enter_##name);
  CONDITIONS(CHECK)
  check_counts();
  return wrong;
}
