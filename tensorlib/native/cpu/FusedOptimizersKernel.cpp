// The elements of an optimiser's step. Compiled once per CPU capability.
#include "native/FusedOptimizers.h"

namespace tensorlib::native {
inline namespace CPU_CAPABILITY {

namespace {

// Not std::fma and std::sqrt: copies of them compiled for this capability could stand in for the baseline's (see vec/vec.h).
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float root_of(float x) { return __builtin_sqrtf(x); }
inline double root_of(double x) { return __builtin_sqrt(x); }

// A loop of known length over rows that do not overlap: the compiler turns it into vector instructions. What is left over runs the same
// function one by one.
constexpr std::int64_t block = 32;

template <typename Element>
void for_each_element(std::int64_t n, const Element& element) {
  std::int64_t i = 0;
  for (; i + block <= n; i += block) {
#pragma GCC ivdep
    for (std::int64_t j = 0; j < block; ++j) element(i + j);
  }
  for (; i < n; ++i) element(i);
}

/// a + weight * (b - a), as PyTorch's lerp: from the nearer end.
template <typename T>
T lerp(T a, T b, T weight, T one_minus_weight, bool near_a) {
  return near_a ? fused(weight, b - a, a) : fused(-(b - a), one_minus_weight, b);
}

/// `max_exp_avg_sq` is looked at with amsgrad only.
template <typename T, bool decay_in_grad, bool decay_param, bool near_a, bool amsgrad>
void adam(T* param, const T* grad, T* exp_avg, T* exp_avg_sq, T* max_exp_avg_sq, std::int64_t n, const AdamStep& s) {
  const T sign = s.maximize ? T(-1) : T(1), decay = T(s.weight_decay), keep = T(1 - s.lr * s.weight_decay);
  const T weight1 = T(1 - s.beta1), rest1 = T(1) - weight1, beta2 = T(s.beta2), weight2 = T(1 - s.beta2), eps = T(s.eps);
  const T step = T(-(s.lr / s.bias_correction1)), root = T(root_of(s.bias_correction2));
  for_each_element(n, [=](std::int64_t i) {
    T p = param[i], g = sign * grad[i];
    if constexpr (decay_in_grad) g = fused(p, decay, g);
    if constexpr (decay_param) p = p * keep;
    const T m = lerp(exp_avg[i], g, weight1, rest1, near_a);
    const T v = fused(weight2 * g, g, exp_avg_sq[i] * beta2);
    exp_avg[i] = m;
    exp_avg_sq[i] = v;
    T counted = v;
    if constexpr (amsgrad) {
      const T most = max_exp_avg_sq[i];
      counted = v > most || v != v ? v : most;
      max_exp_avg_sq[i] = counted;
    }
    param[i] = p + (step * m) / (root_of(counted) / root + eps);
  });
}

template <typename T, bool near_a, bool amsgrad>
void adam_of(T* param, const T* grad, T* exp_avg, T* exp_avg_sq, T* most, std::int64_t n, const AdamStep& s) {
  if (s.decoupled) {
    adam<T, false, true, near_a, amsgrad>(param, grad, exp_avg, exp_avg_sq, most, n, s);
  } else if (s.weight_decay != 0) {
    adam<T, true, false, near_a, amsgrad>(param, grad, exp_avg, exp_avg_sq, most, n, s);
  } else {
    adam<T, false, false, near_a, amsgrad>(param, grad, exp_avg, exp_avg_sq, most, n, s);
  }
}

enum class Gathered { no, first, momentum, nesterov };

template <typename T, Gathered gathered, bool decays>
void sgd(T* param, const T* grad, T* buffer, std::int64_t n, const SGDStep& s) {
  const T sign = s.maximize ? T(-1) : T(1), decay = T(s.weight_decay), momentum = T(s.momentum), fresh = T(1 - s.dampening), lr = T(-s.lr);
  for_each_element(n, [=, nesterov = s.nesterov](std::int64_t i) {
    T g = sign * grad[i];
    if constexpr (decays) g = fused(param[i], decay, g);
    if constexpr (gathered == Gathered::first) {
      buffer[i] = g;
      g = nesterov ? fused(g, momentum, g) : g;
    } else if constexpr (gathered != Gathered::no) {
      const T b = fused(g, fresh, buffer[i] * momentum);
      buffer[i] = b;
      g = gathered == Gathered::nesterov ? fused(b, momentum, g) : b;
    }
    param[i] = fused(g, lr, param[i]);
  });
}

template <typename T, bool decays>
void sgd_of(T* param, const T* grad, T* buffer, std::int64_t n, const SGDStep& s) {
  if (!buffer) {
    sgd<T, Gathered::no, decays>(param, grad, buffer, n, s);
  } else if (s.is_first_step) {
    sgd<T, Gathered::first, decays>(param, grad, buffer, n, s);
  } else if (s.nesterov) {
    sgd<T, Gathered::nesterov, decays>(param, grad, buffer, n, s);
  } else {
    sgd<T, Gathered::momentum, decays>(param, grad, buffer, n, s);
  }
}

}  // namespace

static void fused_adam_kernel(ScalarType type, void* param, const void* grad, void* exp_avg, void* exp_avg_sq, void* max_exp_avg_sq,
                              std::int64_t n, const AdamStep& s) {
  const auto run = [&]<typename T>(T* p) {
    const auto* g = static_cast<const T*>(grad);
    auto *m = static_cast<T*>(exp_avg), *v = static_cast<T*>(exp_avg_sq), *most = static_cast<T*>(max_exp_avg_sq);
    const bool near_a = T(1 - s.beta1) < T(0.5);
    if (most) {
      near_a ? adam_of<T, true, true>(p, g, m, v, most, n, s) : adam_of<T, false, true>(p, g, m, v, most, n, s);
    } else {
      near_a ? adam_of<T, true, false>(p, g, m, v, most, n, s) : adam_of<T, false, false>(p, g, m, v, most, n, s);
    }
  };
  if (type == ScalarType::Double) {
    run(static_cast<double*>(param));
  } else {
    run(static_cast<float*>(param));
  }
}

static void fused_sgd_kernel(ScalarType type, void* param, const void* grad, void* buffer, std::int64_t n, const SGDStep& s) {
  const auto run = [&]<typename T>(T* p) {
    const auto* g = static_cast<const T*>(grad);
    auto* b = static_cast<T*>(buffer);
    if (s.weight_decay != 0) {
      sgd_of<T, true>(p, g, b, n, s);
    } else {
      sgd_of<T, false>(p, g, b, n, s);
    }
  };
  if (type == ScalarType::Double) {
    run(static_cast<double*>(param));
  } else {
    run(static_cast<float*>(param));
  }
}

}  // namespace CPU_CAPABILITY

REGISTER_DISPATCH(fused_adam_stub, &CPU_CAPABILITY::fused_adam_kernel);
REGISTER_DISPATCH(fused_sgd_stub, &CPU_CAPABILITY::fused_sgd_kernel);

}  // namespace tensorlib::native
