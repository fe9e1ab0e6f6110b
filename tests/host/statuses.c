#include "h2o2.h"
#include "h2o2.h"
#include <stdio.h>
int main(void)
{
  double x[1] = {0.0};
  struct h2o2_context *none = 0, some = {0};
  const int made = h2o2_context_create(&none);
  printf("%d %d ", made, none == 0);
  printf("%d ", h2o2_context_create(0));
  printf("%d ", h2o2_viscosity_launch(0, x, x, x, x, 1, 1, 0));
  printf("%d ", h2o2_viscosity_launch(&some, x, x, x, x, -1, 1, 0));
  printf("%d ", h2o2_viscosity_launch(&some, x, x, x, x, 2, 1, 0));
  printf("%d ", h2o2_viscosity_launch(&some, 0, 0, 0, 0, 0, 0, 0));
  printf("%d ", h2o2_viscosity_launch(&some, x, 0, x, x, 1, 1, 0));
  printf("%d ", h2o2_viscosity_launch(&some, x, x, x, 0, 1, 1, 0));
  printf("%d ", h2o2_viscosity_launch(&some, x, x, x, x, 1, 1, 0));
  printf("%d\n", h2o2_context_destroy(0));
  printf("%s\n%s\n", h2o2_species_names[H2O2_H2O], h2o2_status_text(made));
  return 0;
}
