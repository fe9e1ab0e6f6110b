#include "h2o2.hpp"
#include <cstdio>
#include <vector>
int main()
{
  std::vector<double> y(2 * H2O2_SPECIES_COUNT);
  for (int p = 0; p < 2; ++p) y[2 * H2O2_H2 + p] = 0.0285, y[2 * H2O2_O2 + p] = 0.2264, y[2 * H2O2_N2 + p] = p ? 0.7451 : 0.0;
  const auto put = [&] {
    for (int p = 0; p < 2; ++p) std::printf("%.15e %.15e %.15e\n", y[2 * H2O2_H2 + p], y[2 * H2O2_O2 + p], y[2 * H2O2_N2 + p]);
  };
  h2o2::mole_from_mass(y.data(), y.data(), 2, 2);
  put();
  h2o2::mass_from_mole(y.data(), y.data(), 2, 2);
  put();
}
