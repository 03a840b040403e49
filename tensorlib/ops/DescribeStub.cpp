// The kernels decide for themselves (native/cpu/PowKernel.cpp, Loops.h); what is said here is compared with their frames by tests.
#include "ops/DescribeStub.h"

#include <string_view>

#include "core/Scalar.h"
#include "native/TensorIterator.h"

namespace tensorlib {

namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

struct Branch {
  double exponent;
  const char* form;
};

constexpr Branch short_forms[] = {
    {0.5, "pow_one_half_kernel: sqrt(base + 0)"},
    {-0.5, "pow_minus_one_half_kernel: 1 / sqrt(base + 0)"},
    {-1.0, "pow_minus_one_kernel: 1 / base"},
    {2.0, "base * base"},
    {3.0, "base * base * base"},
    {-2.0, "inverse_square: 1 / (base * base)"},
};

bool is_pow(const native::StubCall& call) {
  const std::string_view name = call.name;
  return name == "pow_tensor_scalar_stub" || name == "pow_tensor_tensor_stub";
}

const Branch* short_form(const native::StubCall& call) {
  if (!call.scalar || !isFloatingType(call.iterator->common_dtype())) return nullptr;
  const double exponent = call.scalar->roundedTo(call.iterator->common_dtype());
  for (const Branch& branch : short_forms) {
    if (branch.exponent == exponent) return &branch;
  }
  return nullptr;
}

bool is_general_pow(const native::StubCall& call) {
  return is_pow(call) && isFloatingType(call.iterator->common_dtype()) && !short_form(call);
}

std::string inner_strides(const TensorIteratorBase& iter) {
  std::string text;
  for (int i = 0; i < iter.ntensors(); ++i) {
    text += (i == 0 ? "" : i + 1 == iter.ntensors() ? " and " : ", ") + std::to_string(iter.ndim() > 0 ? iter.strides(i)[0] : 0);
  }
  return text;
}

/// What Loops.h asks before it takes the vector loop: no gaps, but for one input that is a single number all along.
bool has_no_gaps(const TensorIteratorBase& iter) {
  if (iter.ndim() == 0) return false;
  int single_numbers = 0;
  for (int i = 0; i < iter.ntensors(); ++i) {
    const std::int64_t stride = iter.strides(i)[0];
    if (i >= iter.noutputs() && stride == 0) {
      ++single_numbers;
    } else if (stride != iter.element_size(i)) {
      return false;
    }
  }
  return single_numbers <= 1;
}

}  // namespace

std::string describe_branch(const native::StubCall& call) {
  if (!is_pow(call) || !call.iterator) return {};
  const ScalarType dtype = call.iterator->common_dtype();
  const std::string type = toString(dtype);
  if (!isFloatingType(dtype)) return "integer_pow: by repeated squaring, since numbers are " + type;
  if (!call.scalar) return "powmath, since each element has an exponent of its own";
  const std::string exponent = number(call.scalar->roundedTo(dtype));
  const Branch* form = short_form(call);
  return (form ? std::string(form->form) : std::string("powmath")) + ", since the exponent is " + exponent + " as " + type + " has it";
}

std::string describe_loop(const native::StubCall& call) {
  if (!call.iterator) return {};
  const TensorIteratorBase& iter = *call.iterator;
  const std::string elements = std::to_string(iter.numel()) + " elements, inner strides " + inner_strides(iter) + " bytes";
  if (iter.numel() == 0) return "no elements";
  if (!is_pow(call)) return elements;
  if (is_general_pow(call)) return "rows: " + elements;
  const bool vectors = isFloatingType(iter.common_dtype()) && has_no_gaps(iter);
  return (vectors ? "vectorized_loop: " : "basic_loop: ") + elements;
}

}  // namespace tensorlib
