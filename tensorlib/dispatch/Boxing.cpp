#include "dispatch/Boxing.h"

namespace tensorlib::boxing {

void report_type_mismatch(const IValue& value) {
  throw TypeError("a boxed call has " + toString(value) + " where the operator takes another type");
}

}  // namespace tensorlib::boxing
