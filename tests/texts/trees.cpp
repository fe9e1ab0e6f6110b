#include <cstdio>
#include <vector>
int main()
{
  const int points = POINTS, stride = POINTS + 2;
  std::vector<double> inputs(FIELDS * stride), outputs(TREES * stride, -1.0);
  if (std::fread(inputs.data(), sizeof(double), inputs.size(), stdin) != inputs.size()) return 1;
  const double *in = inputs.data();
  double *out = outputs.data();
  CALL
  std::fwrite(out, sizeof(double), outputs.size(), stdout);
}
