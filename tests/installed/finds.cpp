#include "h2o2.hpp"
#include <cstdio>
int main()
try {
  double t[1] = {1000.0}, p[1] = {101325.0}, x[10] = {1.0}, out[1] = {0.0};
  h2o2::context context;
  context.viscosity(t, p, x, out, 1, 1, nullptr);
  std::printf("%.4e\n", out[0]);
} catch (const h2o2::error &error) {
  std::printf("%d\n", error.status());
}
