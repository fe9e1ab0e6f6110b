// Kernels that call KinetiX' functions, with the powers that its host makes. A thread has a point: its temperature, then values of the species.

#define POWERS t, t * t, t * t * t, t * t * t * t
#define LOGARITHMS l, l * l, l * l * l, l * l * l * l
#define KERNEL(name, rows, ...)                                                                    \
  extern "C" __global__ void name(const double *temperatures, const double *of_species, double *to, int n) \
  {                                                                                                \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                           \
    if (i >= n) return;                                                                            \
    const double t = temperatures[i], l = log(t);                                                  \
    double in[n_species], out[rows] = {};                                                          \
    for (int k = 0; k < n_species; ++k) in[k] = of_species[k * n + i];                             \
    (void)l, (void)&in;                                                                             \
    __VA_ARGS__;                                                                                   \
    for (int row = 0; row < rows; ++row) to[row * n + i] = out[row];                               \
  }

KERNEL(call_rates, n_species, kinetix_species_rates(l, POWERS, 1 / t, 1e5, log(1e5), in, out))
KERNEL(call_enthalpies, n_species, kinetix_enthalpy_RT(POWERS, 1 / t, out))
KERNEL(call_capacities, n_species, kinetix_molar_heat_capacity_R(POWERS, out))
KERNEL(call_conductivity, 1, *out = kinetix_conductivity(1.0, LOGARITHMS, in))
KERNEL(call_viscosity, 1, *out = kinetix_viscosity(LOGARITHMS, in))
KERNEL(call_diffusivities, n_species, kinetix_diffusivity(1.0, 1e5, t * sqrt(t), LOGARITHMS, in, out))
