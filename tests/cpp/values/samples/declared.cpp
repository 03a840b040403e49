// Arguments of types that other units define.
#include "elsewhere.hpp"

__attribute__((noinline)) int show(const shapes::Hidden& hidden, const shapes::Hidden* pointer, shapes::Holder& holder,
                                   shapes::State state) {
  stop_here(&hidden);
  return pointer != nullptr && holder.inner != nullptr && state == shapes::State();
}

int main() {
  shapes::Holder holder = shapes::holder();
  return show(shapes::hidden(), &shapes::hidden(), holder, shapes::state());
}
