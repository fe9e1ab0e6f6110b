// Kernels that call functions of a mechanism.H, to compile for a GPU: what a thread needs is its compiler's to tell.
#include <cmath>

#include "mechanism.H"

enum { species = NUM_SPECIES, size = NUM_SPECIES + 1 };

// Calls a function on concentrations or mass fractions `in` and a temperature or energy `t`, and stores rows of `out`.
#define KERNEL(name, rows, ...)                                                                   \
  extern "C" __global__ void name(const double *from, const double *of_species, double *to, int n) \
  {                                                                                               \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                          \
    if (i >= n) return;                                                                           \
    double t = from[i], in[species], out[rows];                                                   \
    for (int k = 0; k < species; ++k) in[k] = of_species[k * n + i];                              \
    __VA_ARGS__;                                                                                  \
    for (int row = 0; row < rows; ++row) to[row * n + i] = out[row];                              \
  }

KERNEL(call_productionRate, species, productionRate(out, in, t))
KERNEL(call_CKCPBS, 1, CKCPBS(t, in, *out))
KERNEL(call_CKHMS, species, CKHMS(t, out); for (int k = 0; k < species; ++k) out[k] *= in[k])
KERNEL(call_GET_T_GIVEN_EY, 1, int error; *out = 1000.0; GET_T_GIVEN_EY(t, in, *out, error))
KERNEL(call_DWDOT, size * size, const int pressure = 0; DWDOT(out, in, &t, &pressure))
