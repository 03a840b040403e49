#include "core/LocalDispatchKeySet.h"

namespace tensorlib {

namespace {
thread_local LocalDispatchKeySet local_keys;
thread_local bool grad_enabled = true;
thread_local bool inference_enabled = false;
}  // namespace

LocalDispatchKeySet tls_local_dispatch_key_set() { return local_keys; }
void force_tls_local_dispatch_key_set(LocalDispatchKeySet set) { local_keys = set; }

AutoDispatchBelowADInplaceOrView::AutoDispatchBelowADInplaceOrView() : previous_(local_keys) {
  local_keys.excluded_ = local_keys.excluded_ | autograd_dispatch_keyset_with_ADInplaceOrView;
}
AutoDispatchBelowADInplaceOrView::~AutoDispatchBelowADInplaceOrView() { local_keys = previous_; }

AutoDispatchBelowAutograd::AutoDispatchBelowAutograd() : previous_(local_keys) {
  local_keys.excluded_ = local_keys.excluded_ | autograd_dispatch_keyset;
}
AutoDispatchBelowAutograd::~AutoDispatchBelowAutograd() { local_keys = previous_; }

bool GradMode::is_enabled() { return grad_enabled; }
void GradMode::set_enabled(bool enabled) { grad_enabled = enabled; }

bool InferenceMode::is_enabled() { return inference_enabled; }

void InferenceMode::set_enabled(bool enabled) {
  inference_enabled = enabled;
  const DispatchKeySet view{DispatchKey::ADInplaceOrView};
  local_keys.included_ = enabled ? local_keys.included_ - view : local_keys.included_ | view;
  local_keys.excluded_ = enabled ? local_keys.excluded_ | autograd_dispatch_keyset : local_keys.excluded_ - autograd_dispatch_keyset;
}

}  // namespace tensorlib
