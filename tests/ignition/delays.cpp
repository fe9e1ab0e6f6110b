// When reactors of constant volume have warmed by 400 K, by the generated integrator at a relative tolerance of 1e-6:
// delays MOLES... < CONDITIONS
// Moles are such as CH4:1 O2:2. Reads lines of temperature in K, pressure in Pa, a time in s and a factor; prints when the reactor ignites
// between the time over the factor and the time by the factor, to 8 digits, and by how many K it is warmer at these two.
#include "NAME_reactor.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

const int species = NAME_SPECIES;

struct Batch {
  std::vector<double> temperature, density;
  double fractions[species];
};

// The rises of temperature after times of the reactors' own.
static std::vector<double> rises(const NAME_context *context, const Batch &batch, const std::vector<double> &times)
{
  const int points = (int)times.size();
  std::vector<double> t(batch.temperature), y(species * points);
  std::vector<int> status(points);
  for (int k = 0; k < species; ++k) {
    for (int p = 0; p < points; ++p) y[k * points + p] = batch.fractions[k];
  }
  NAME_reactor_results results = NAME_reactor_results();
  results.status = status.data();
  const NAME_reactor_options options = {1e-6, 1e-12, 0.0, 100000, nullptr};
  if (NAME_reactor_advance(context, t.data(), batch.density.data(), y.data(), times.data(), t.data(), y.data(), nullptr, &results, &options, points, points, nullptr, nullptr)) std::exit(2);
  for (int p = 0; p < points; ++p) {
    if (status[p] != NAME_REACTOR_DONE) std::exit(3);
    t[p] -= batch.temperature[p];
  }
  return t;
}

int main(int count, char **arguments)
{
  Batch batch = Batch();
  double moles = 0.0, mass = 0.0;
  for (int i = 1; i < count; ++i) {
    const char *colon = std::strchr(arguments[i], ':');
    for (int k = 0; colon && k < species; ++k) {
      const size_t length = std::strlen(NAME_species_names[k]);
      if (length != (size_t)(colon - arguments[i]) || std::strncmp(NAME_species_names[k], arguments[i], length)) continue;
      const double amount = std::atof(colon + 1);
      moles += amount;
      batch.fractions[k] = amount * NAME_molecular_weights[k];
      mass += batch.fractions[k];
    }
  }
  for (double &y : batch.fractions) y /= mass;
  std::vector<double> low, high;
  double temperature, pressure, near, factor;
  while (std::scanf("%lf %lf %lf %lf", &temperature, &pressure, &near, &factor) == 4) {
    batch.temperature.push_back(temperature);
    batch.density.push_back(pressure * mass / moles / (8314.46261815324 * temperature));
    low.push_back(near / factor);
    high.push_back(near * factor);
  }
  NAME_context *context = nullptr;
  if (NAME_context_create(&context)) return 2;
  const std::vector<double> before = rises(context, batch, low), after = rises(context, batch, high);
  for (bool is_wide = true; is_wide;) {
    std::vector<double> middle(low);
    is_wide = false;
    for (size_t p = 0; p < low.size(); ++p) {
      middle[p] = std::sqrt(low[p] * high[p]);
      is_wide = is_wide || high[p] > low[p] * (1.0 + 1e-8);
    }
    const std::vector<double> rise = rises(context, batch, middle);
    for (size_t p = 0; p < low.size(); ++p) (rise[p] < 400.0 ? low : high)[p] = middle[p];
  }
  for (size_t p = 0; p < low.size(); ++p) std::printf("%.9e %.9g %.9g\n", std::sqrt(low[p] * high[p]), before[p], after[p]);
  return NAME_context_destroy(context);
}
