// Where a call will go, without going there: the answer is read from the tables that calls use.
#pragma once

#include <string>
#include <vector>

#include "core/LocalDispatchKeySet.h"
#include "core/function_ref.h"
#include "dispatch/Dispatcher.h"

namespace tensorlib {

struct ArgumentExplanation {
  std::string name;
  std::string value;    ///< "Tensor Float [3]", "3"
  DispatchKeySet keys;  ///< Empty where it is no tensor.
};

struct PassedOverKey {
  DispatchKey key;
  std::string why;
};

/// One kernel on the way.
struct DispatchStep {
  DispatchKeySet keys;  ///< What the kernel is chosen from: masked already.
  DispatchKey key;      ///< The highest of them.
  std::vector<PassedOverKey> passed_over;
  std::string kernel;         ///< "tensorlib::(anonymous namespace)::wrapper_CPU_pow_Tensor_Scalar"
  std::string registered_at;  ///< "tensorlib/generated/ops/RegisterCPU.cpp:30"
  TableRule rule;             ///< Why the table holds it.
};

/// The vectorised kernel behind a stub, which the last kernel of the way calls. Empty `stub`: it computes without one.
struct StubExplanation {
  std::string stub;        ///< "pow_tensor_scalar_stub"
  std::string op;          ///< The operator that calls it: an inner one where the last kernel is made of operators.
  std::string capability;  ///< "AVX2"
  std::string branch;      ///< "base * base * base, since the exponent is 3"; empty where the stub has one only.
  std::string loop;        ///< "vectorized_loop: 3 elements without gaps"; empty where there is no iterator.
  std::string error;       ///< What the kernel refuses the arguments with; then the rest is empty.
};

struct DispatchExplanation {
  std::string op;
  std::string schema;
  std::vector<ArgumentExplanation> arguments;
  DispatchKeySet tensors;  ///< The keys of all arguments together.
  LocalDispatchKeySet local;
  DispatchKeySet merged;  ///< With those that the thread includes, without those that it excludes.
  std::vector<DispatchStep> steps;
  StubExplanation stub;
};

/// What a call of the operator with these arguments would do in this thread's modes. Computes nothing on the arguments: to find the stub,
/// the last kernel is run on copies and left before the loop; random generators are put back.
DispatchExplanation explain_dispatch(const OperatorEntry& op, const Stack& arguments);

/// The same for the first operator that `call` calls on this thread; `call` sees that operator raise Error. Nothing if it calls none.
std::optional<DispatchExplanation> explain_first_call(function_ref<void()> call);

/// If this thread waits for explain_first_call()'s operator, takes the explanation and raises Error. trace_fallback asks it.
void explain_instead_of_calling(const OperatorEntry& op, const Stack& arguments);

/// For people, several lines.
std::string toString(const DispatchExplanation& explanation);

}  // namespace tensorlib
