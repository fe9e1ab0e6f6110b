// CUDA text of data-parallel kernels on a CPU, for one point: one thread of one CTA goes through it. No thread waits for another there, so that
// barriers are nothing. The text spells what is fused; the compiler may fuse no more (-ffp-contract=off), or pairs of floats lose what they keep.

#include <cmath>
#include <cstddef>
#include <cstring>

#define __CUDACC_RTC__
#define __device__
#define __forceinline__ inline
#define __global__
#define __launch_bounds__(...)

namespace {

struct {
  unsigned x = 0;
} threadIdx, blockIdx;

struct {
  unsigned x = 1;
} gridDim;

template <typename T> T __ldg(const T *address) { return *address; }

int min(int a, int b) { return a < b ? a : b; }

unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }

unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }

struct float2 {
  float x, y;
};

float2 make_float2(float x, float y) { return {x, y}; }

float __fadd_rn(float a, float b) { return a + b; }

float __fsub_rn(float a, float b) { return a - b; }

double __dadd_rn(double a, double b) { return a + b; }

float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }

float __fmul_rn(float a, float b) { return a * b; }

float __fdiv_rn(float a, float b) { return a / b; }

float __fsqrt_rn(float a) { return std::sqrt(a); }

float __int_as_float(int bits)
{
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

int __float_as_int(float value)
{
  int bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

int __double2hiint(double value)
{
  long long bits;
  std::memcpy(&bits, &value, sizeof bits);
  return (int)(bits >> 32);
}

int __double2loint(double value)
{
  long long bits;
  std::memcpy(&bits, &value, sizeof bits);
  return (int)bits;
}

void __syncthreads() {}

// The text's only instructions in assembly here are estimates, which steps behind them make rounded quotients and roots of, whatever the last digit is.
void estimate(float &y, float b, const char *instruction)
{
  y = std::strstr(instruction, "rsqrt") ? 1.0f / std::sqrt(b) : 1.0f / b;
}

} // namespace

#define asm(instruction) estimate(y, b, #instruction)

// Each text has functions of the same names.
namespace of_viscosity {
#include "pairs_viscosity.cu"
}
namespace of_conductivity {
#include "pairs_conductivity.cu"
}
namespace of_diffusion {
#include "pairs_diffusion.cu"
}

void pairs_of_viscosity(const double *t, const double *p, const double *x, double *out)
{
  of_viscosity::pairs_viscosity(t, p, x, out, 1, 1);
}

void pairs_of_conductivity(const double *t, const double *p, const double *x, double *out)
{
  of_conductivity::pairs_conductivity(t, p, x, out, 1, 1);
}

void pairs_of_diffusion(const double *t, const double *p, const double *x, double *out)
{
  of_diffusion::pairs_diffusion(t, p, x, out, 1, 1);
}
