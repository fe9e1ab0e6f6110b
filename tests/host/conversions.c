#include "h2o2.h"
#include <stdio.h>
int main(void)
{
  static double y[3 * H2O2_SPECIES_COUNT], x[3 * H2O2_SPECIES_COUNT];
  for (int p = 0; p < 2; ++p) y[3 * H2O2_H2 + p] = 0.0285, y[3 * H2O2_O2 + p] = 0.2264, y[3 * H2O2_N2 + p] = p ? 0.7451 : 0.0;
  h2o2_mole_from_mass(y, x, 2, 3);
  for (int p = 0; p < 2; ++p) printf("%.15e %.15e %.15e\n", x[3 * H2O2_H2 + p], x[3 * H2O2_O2 + p], x[3 * H2O2_N2 + p]);
  h2o2_mass_from_mole(x, x, 2, 3);
  for (int p = 0; p < 2; ++p) printf("%.15e %.15e %.15e\n", x[3 * H2O2_H2 + p], x[3 * H2O2_O2 + p], x[3 * H2O2_N2 + p]);
}
