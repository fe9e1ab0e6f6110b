// Runs a kernel in both precisions at TEMPERATURES temperatures times COMPOSITIONS compositions. Writes the largest relative error of the single one, and
// the temperature where that is. What is not a number, or infinite, errs infinitely.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

struct CUstream_st;
extern "C" int SYMBOL_launch(const void *, const double *, const double *, const double *, double *, int, int, CUstream_st *);
extern "C" int SYMBOL_double_launch(const void *, const double *, const double *, const double *, double *, int, int, CUstream_st *);

// SplitMix64
static double number()
{
  static uint64_t state = 44;
  state += 0x9e3779b97f4a7c15;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

// All species alike; over many powers of ten; nearly pure; a few species alone. Sums are within those of the bound.
static std::vector<double> composition(int kind)
{
  std::vector<double> x(SPECIES);
  for (double &fraction : x) {
    switch (kind) {
    case 0: fraction = number(); break;
    case 1: fraction = std::pow(10.0, -60.0 * number()); break;
    case 2: fraction = std::pow(10.0, -6.0 - 54.0 * number()); break;
    default: fraction = number() < 0.1 ? number() : 0.0;
    }
  }
  x[(int)(number() * SPECIES)] += kind == 2 ? 1.0 : 0.1;
  double sum = 0.0;
  for (const double fraction : x) sum += fraction;
  const double scale = (0.9901 + 0.0198 * number()) / sum;
  for (double &fraction : x) fraction *= scale;
  return x;
}

int main()
{
  const int points = TEMPERATURES, stride = points + 24;
  const double coldest = COLDEST * (1.0 + 1e-9), hottest = HOTTEST * (1.0 - 1e-9);
  std::vector<double> t(stride, 1000.0), p(stride, 1e5), x((size_t)SPECIES * stride), single((size_t)ROWS * stride), both(single.size());
  double worst = 0.0, at = 0.0;
  for (int c = 0; c < COMPOSITIONS; ++c) {
    const std::vector<double> fractions = composition(c % 4);
    for (int i = 0; i < points; ++i) {
      t[i] = coldest * std::pow(hottest / coldest, (i + number()) / points);
      p[i] = std::pow(10.0, 9.0 * number());
    }
    for (int k = 0; k < SPECIES; ++k) {
      for (int i = 0; i < points; ++i) x[(size_t)k * stride + i] = fractions[k];
    }
    if (SYMBOL_launch(&worst, t.data(), p.data(), x.data(), single.data(), points, stride, nullptr)) return 1;
    if (SYMBOL_double_launch(&worst, t.data(), p.data(), x.data(), both.data(), points, stride, nullptr)) return 1;
    for (int row = 0; row < ROWS; ++row) {
      for (int i = 0; i < points; ++i) {
        const size_t place = (size_t)row * stride + i;
        const double error = std::fabs(single[place] / both[place] - 1.0);
        if (!(error <= worst)) {
          worst = std::isfinite(error) ? error : INFINITY;
          at = t[i];
        }
      }
    }
  }
  std::printf("%.17g %.17g\n", std::isinf(worst) ? 1e308 : worst, at);
  return 0;
}
