// Stands for HIP's functions where ROCm's library of them is absent.
#pragma once

#define __forceinline__ __attribute__((always_inline))

__device__ inline double exp(double x)
{
  const double n = __builtin_rint(x * 1.4426950408889634);
  const double r = __builtin_fma(n, -5.497923018708371e-14, __builtin_fma(n, -0.6931471805598903, x));
  double sum = 1.0;
  for (int k = 14; k > 0; --k) sum = __builtin_fma(sum, r / k, 1.0);
  return __builtin_amdgcn_ldexp(sum, (int)n);
}

// By steps of Halley's method
__device__ inline double log(double x)
{
  double y = 0.6931471805599453 * __builtin_amdgcn_frexp_exp(x);
  for (int step = 0; step < 5; ++step) {
    const double e = exp(y);
    y += 2.0 * (x - e) / (x + e);
  }
  return y;
}

__device__ inline double sqrt(double x) { return __builtin_sqrt(x); }
