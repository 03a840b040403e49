#include "ops/DryRun.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace tensorlib {

GeneratorsKept::GeneratorsKept(const Stack& arguments) {
  std::vector<Generator> generators{&default_generator()};
  for (const IValue& value : arguments) {
    const Generator* given = std::get_if<Generator>(&value);
    if (given && *given && std::ranges::find(generators, *given) == generators.end()) generators.push_back(*given);
  }
  for (const Generator generator : generators) {
    const std::lock_guard lock(generator->mutex());
    generator->get_state(kept_.emplace_back(generator, CPUGeneratorState()).second);
  }
}

GeneratorsKept::~GeneratorsKept() {
  for (const auto& [generator, state] : kept_) {
    const std::lock_guard lock(generator->mutex());
    generator->set_state(state);
  }
}

namespace {

class Copies {
 public:
  Tensor operator()(const Tensor& tensor) {
    if (!tensor.defined()) return tensor;
    const TensorImpl& from = *tensor.impl();
    auto copy = make_intrusive<TensorImpl>(storage(from.storage()), from.storage_offset(), from.sizes(), from.strides(), from.dtype(),
                                           from.key_set());
    copy->set_wrapped_number(from.is_wrapped_number());
    return Tensor(std::move(copy));
  }
  std::optional<Tensor> operator()(const std::optional<Tensor>& tensor) {
    return tensor ? std::optional<Tensor>((*this)(*tensor)) : std::nullopt;
  }
  template <typename Element>
  std::vector<Element> operator()(const std::vector<Element>& values) {
    std::vector<Element> copies;
    for (const Element& value : values) copies.push_back((*this)(value));
    return copies;
  }
  template <typename Other>
  Other operator()(const Other& value) {
    return value;
  }

 private:
  Storage storage(const Storage& from) {
    if (!from) return from;
    Storage& copy = made_[from.get()];
    if (!copy) {
      copy = make_intrusive<StorageImpl>(from->nbytes());
      if (from->nbytes() > 0) std::memcpy(copy->data(), from->data(), from->nbytes());
    }
    return copy;
  }

  std::map<const StorageImpl*, Storage> made_;
};

}  // namespace

Stack copy_arguments(const Stack& arguments) {
  Copies copy;
  Stack copies;
  for (const IValue& value : arguments) copies.push_back(std::visit([&](const auto& held) { return IValue(copy(held)); }, value));
  return copies;
}

}  // namespace tensorlib
