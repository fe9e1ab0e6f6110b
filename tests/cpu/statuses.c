#include "h2o2.h"
#include <stdio.h>
int main(void)
{
  double x[16] = {0.0};
  struct h2o2_context *made = 0;
  printf("%d ", h2o2_context_create(0));
  printf("%d ", h2o2_context_create(&made));
  printf("%d ", h2o2_viscosity_launch(0, x, x, x, x, 1, 1, 0));
  printf("%d ", h2o2_viscosity_launch(made, x, x, x, x, -1, 1, 0));
  printf("%d ", h2o2_viscosity_launch(made, x, x, x, x, 2, 1, 0));
  printf("%d ", h2o2_viscosity_launch(made, 0, 0, 0, 0, 0, 0, 0));
  printf("%d ", h2o2_viscosity_launch(made, x, 0, x, x, 1, 1, 0));
  printf("%d ", h2o2_viscosity_launch(made, x, x, x, 0, 1, 1, 0));
  printf("%d\n", h2o2_context_destroy(made));
  printf("%s\n%s\n%s\n", h2o2_status_text(SINGE_SUCCESS), h2o2_status_text(SINGE_INVALID_STRIDE), h2o2_status_text(7));
  return 0;
}
