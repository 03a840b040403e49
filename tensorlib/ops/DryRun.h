// A kernel run for what it would do, without doing it to the caller's tensors.
#pragma once

#include "dispatch/OperatorEntry.h"

namespace tensorlib {

/// Keeps the random generators that a call may draw from, and puts them back.
class GeneratorsKept {
 public:
  explicit GeneratorsKept(const Stack& arguments);
  ~GeneratorsKept();
  GeneratorsKept(const GeneratorsKept&) = delete;
  GeneratorsKept& operator=(const GeneratorsKept&) = delete;

 private:
  std::vector<std::pair<Generator, CPUGeneratorState>> kept_;
};

/// The arguments with every tensor on memory of its own: same bytes, shape, strides and keys; tensors that share memory share the copy.
Stack copy_arguments(const Stack& arguments);

}  // namespace tensorlib
