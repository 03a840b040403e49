// What a thread adds to and takes from every call's dispatch keys, and the modes built on it.
#pragma once

#include "core/DispatchKeySet.h"

namespace tensorlib {

struct LocalDispatchKeySet {
  DispatchKeySet included_{DispatchKey::BackendSelect, DispatchKey::ADInplaceOrView};
  DispatchKeySet excluded_{DispatchKey::AutocastCPU, DispatchKey::Tracer};
};

/// This thread's sets.
LocalDispatchKeySet tls_local_dispatch_key_set();
void force_tls_local_dispatch_key_set(LocalDispatchKeySet set);
/// What threads have that changed nothing: every thread feels it. Before the first call of an operator only.
void set_default_local_dispatch_key_set(LocalDispatchKeySet set);

/// Leaves autograd and what is above it out of this thread's calls while it lives: set by autograd kernels before they redispatch.
class AutoDispatchBelowADInplaceOrView {
 public:
  AutoDispatchBelowADInplaceOrView();
  ~AutoDispatchBelowADInplaceOrView();
  AutoDispatchBelowADInplaceOrView(const AutoDispatchBelowADInplaceOrView&) = delete;
  AutoDispatchBelowADInplaceOrView& operator=(const AutoDispatchBelowADInplaceOrView&) = delete;

 private:
  LocalDispatchKeySet previous_;
};

/// Leaves out autograd only: set by the kernels of in-place operators and views, which ADInplaceOrView sees next.
class AutoDispatchBelowAutograd {
 public:
  AutoDispatchBelowAutograd();
  ~AutoDispatchBelowAutograd();
  AutoDispatchBelowAutograd(const AutoDispatchBelowAutograd&) = delete;
  AutoDispatchBelowAutograd& operator=(const AutoDispatchBelowAutograd&) = delete;

 private:
  LocalDispatchKeySet previous_;
};

/// Whether this thread records for gradients (torch.no_grad clears it).
struct GradMode {
  static bool is_enabled();
  static void set_enabled(bool enabled);
};

/// Whether this thread makes inference tensors, which autograd never sees.
struct InferenceMode {
  static bool is_enabled();
  static void set_enabled(bool enabled);
};

}  // namespace tensorlib
