#include "NAME.h"
#include <cstdio>
#include <vector>
typedef int Launch(const NAME_context *, const double *, const double *, const double *, double *, int, int, CUstream_st *);
static int run(const NAME_context *context, Launch *launch, int rows)
{
  const int points = POINTS, stride = STRIDE;
  std::vector<double> t(stride), p(stride), x(NAME_SPECIES_ROWS * stride), out(rows * stride, -1.0);
  for (std::vector<double> *field : {&t, &p, &x}) {
    if (std::fread(field->data(), sizeof(double), field->size(), stdin) != field->size()) return 1;
  }
  const int status = launch(context, t.data(), p.data(), x.data(), out.data(), points, stride, nullptr);
  std::fwrite(out.data(), sizeof(double), out.size(), stdout);
  return status;
}
int main()
{
  NAME_context *context = nullptr;
  int status = NAME_context_create(&context);
CALLS
  return status;
}
