#include "h2o2.hpp"
#include <utility>
int run(const double *t, const double *p, const double *x, double *out)
{
  try {
    h2o2::context made;
    h2o2::context moved(std::move(made));
    moved.viscosity(t, p, x, out, 32, 32);
    moved.diffusion(t, p, x, out, 32, 32, nullptr);
  } catch (const h2o2::error &e) {
    return e.status();
  }
  return SINGE_SUCCESS;
}
