#include "core/DispatchKeySet.h"

namespace tensorlib {

const char* toString(DispatchKey key) {
  switch (key) {
    case DispatchKey::CPU:
      return "CPU";
    case DispatchKey::BackendSelect:
      return "BackendSelect";
    case DispatchKey::ADInplaceOrView:
      return "ADInplaceOrView";
    case DispatchKey::AutogradCPU:
      return "AutogradCPU";
    case DispatchKey::Tracer:
      return "Tracer";
    case DispatchKey::AutocastCPU:
      return "AutocastCPU";
    case DispatchKey::Autograd:
      return "Autograd";
    case DispatchKey::CompositeImplicitAutograd:
      return "CompositeImplicitAutograd";
    case DispatchKey::CompositeExplicitAutograd:
      return "CompositeExplicitAutograd";
    case DispatchKey::Undefined:
    case DispatchKey::EndOfAliases:
      break;
  }
  return "Undefined";
}

std::string toString(DispatchKeySet set) {
  std::string text = "DispatchKeySet(";
  for (int i = 1; i < numDispatchKeys; ++i) {
    const auto key = static_cast<DispatchKey>(i);
    if (!set.has(key)) continue;
    if (text.back() != '(') text += ", ";
    text += toString(key);
  }
  return text + ")";
}

}  // namespace tensorlib
