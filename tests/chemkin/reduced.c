#include "methane_chemkin.h"
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
  static int nuki[19 * 70 + 1];
  const int species = 19;
  const double p = 2.5e6, t = 1350.0;
  double x[19], y[19], wdot[19];
  nuki[19 * 70] = 7;
  cknu_(&species, 0, 0, nuki);
  if (nuki[19 * 70] != 7) return 1;
  for (int k = 0; k < 19; ++k) x[k] = 1.0 / 19.0;
  ckxty_(x, 0, 0, y);
  ckwyp_(&p, &t, y, 0, 0, wdot);
  for (int k = 0; k < 19; ++k) printf("%.17g\n", wdot[k]);
  return 0;
}
