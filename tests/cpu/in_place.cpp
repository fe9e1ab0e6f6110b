#include "h2o2.h"
#include <cstdio>
#include <vector>
int main()
{
  const int points = 5, stride = 16, species = H2O2_SPECIES;
  std::vector<double> t(stride, 1000.0), p(stride, 101325.0), x(2 * species * stride, 0.1);
  const std::vector<double> before = x;
  h2o2_context *context = nullptr;
  int status = h2o2_context_create(&context);
  const auto rates = [&](double *out) { return h2o2_chemistry_launch(context, t.data(), p.data(), x.data(), out, points, stride, nullptr); };
  const auto viscosity = [&](double *out) { return h2o2_viscosity_launch(context, t.data(), p.data(), x.data(), out, points, stride, nullptr); };
  std::printf("%d %d %d %d %d\n", status, rates(x.data()), rates(x.data() + 3 * stride), rates(x.data() + 4), rates(x.data() + 12));
  std::printf("%d %d %d\n", viscosity(t.data()), viscosity(p.data() + 2), viscosity(x.data() + 2 * stride));
  std::printf("%d\n", x == before && t[0] == 1000.0 && p[2] == 101325.0);
  // Between rows of the input, and behind it.
  std::printf("%d %d %d\n", rates(x.data() + 5), rates(x.data() + 11), rates(x.data() + species * stride));
  std::printf("%s\n", h2o2_status_text(SINGE_OVERLAPPING_ARRAYS));
}
