#include "core/LocalDispatchKeySet.h"

namespace tensorlib {

namespace {
// In what a thread's sets differ from the default ones, so that a new thread starts with nothing to initialise.
thread_local constinit LocalDispatchKeySet local_keys{{}, {}};
constinit LocalDispatchKeySet default_keys;
thread_local constinit bool grad_enabled = true;
thread_local constinit bool inference_enabled = false;
}  // namespace

LocalDispatchKeySet tls_local_dispatch_key_set() {
  return {local_keys.included_ ^ default_keys.included_, local_keys.excluded_ ^ default_keys.excluded_};
}
void force_tls_local_dispatch_key_set(LocalDispatchKeySet set) {
  local_keys = {set.included_ ^ default_keys.included_, set.excluded_ ^ default_keys.excluded_};
}
void set_default_local_dispatch_key_set(LocalDispatchKeySet set) { default_keys = set; }

// Autograd's keys are in neither of the default sets, so the guards may set them as they are.

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
  const LocalDispatchKeySet now = tls_local_dispatch_key_set();
  force_tls_local_dispatch_key_set({enabled ? now.included_ - view : now.included_ | view,
                                    enabled ? now.excluded_ | autograd_dispatch_keyset : now.excluded_ - autograd_dispatch_keyset});
}

}  // namespace tensorlib
