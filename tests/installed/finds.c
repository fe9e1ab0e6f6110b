#include "h2o2.h"
#include <stdio.h>
int main(void)
{
  double t[1] = {1000.0}, p[1] = {101325.0}, x[10] = {1.0}, out[1] = {0.0};
  struct h2o2_context *context = 0;
  if (h2o2_context_create(&context)) return printf("%d\n", h2o2_viscosity_launch(0, t, p, x, out, 1, 1, 0)), 0;
  if (h2o2_viscosity_launch(context, t, p, x, out, 1, 1, 0)) return 1;
  printf("%.4e\n", out[0]);
  return h2o2_context_destroy(context);
}
