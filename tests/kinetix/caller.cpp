// Calls KinetiX' functions as its host does: powers of the temperature are computed here, rates are added to zeros.
#include <cmath>
#include <cstdio>

static void print(const char *name, const double *values, int count)
{
  std::printf("%s", name);
  for (int k = 0; k < count; ++k) std::printf(" %.17e", values[k]);
  std::printf("\n");
}

int main()
{
  double t, p, x[n_species];
  if (std::scanf("%lf %lf", &t, &p) != 2) return 1;
  for (double &fraction : x)
    if (std::scanf("%lf", &fraction) != 1) return 1;
  const double t2 = t * t, t3 = t2 * t, t4 = t3 * t, per_t = 1 / t, root = std::sqrt(t);
  const double log1 = std::log(t), log2 = log1 * log1, log3 = log2 * log1, log4 = log3 * log1;
  double mean = 0.0, concentrations[n_species], values[n_species] = {}, again[n_species] = {};
  for (int k = 0; k < n_species; ++k) mean += x[k] * kinetix_molar_mass[k];
  for (int k = 0; k < n_species; ++k) concentrations[k] = x[k] * p / (8.31446261815324 * t);

  print("weights", kinetix_molar_mass, n_species);
  std::printf("names %s\n", species_names);
  kinetix_species_rates(log1, t, t2, t3, t4, per_t, concentrations, values);
  print("rates", values, n_species);
  kinetix_species_rates(log1, t, t2, t3, t4, per_t, p, std::log(p), concentrations, again);
  print("rates", again, n_species);
  kinetix_enthalpy_RT(t, t2, t3, t4, per_t, values);
  print("enthalpies", values, n_species);
  kinetix_molar_heat_capacity_R(t, t2, t3, t4, values);
  print("capacities", values, n_species);
  const double conductivity = root * kinetix_conductivity(1 / mean, log1, log2, log3, log4, x);
  print("conductivity", &conductivity, 1);
  const double viscosity = root * kinetix_viscosity(log1, log2, log3, log4, x);
  print("viscosity", &viscosity, 1);
  kinetix_diffusivity(mean, p, t * root, log1, log2, log3, log4, x, values);
  print("diffusivities", values, n_species);
  for (int k = 0; k < n_species; ++k) again[k] = kinetix_rcp_molar_mass[k] * kinetix_molar_mass[k];
  print("ones", again, n_species);
  return n_active_species;
}
