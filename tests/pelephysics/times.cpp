// Prints the time of each function of a mechanism.H, in ns: the least of 30 rounds over 32 random states.
#include <cmath>

#include "mechanism.H"

#include <chrono>
#include <cstdio>
#include <random>

enum { states = 32, rounds = 30, n = NUM_SPECIES };

// Arrays begin a page, so that they lie the same in programs with another mechanism.H.
alignas(4096) static double t[states], x[states][n], y[states][n], c[states][n], c_si[states][n], e[states], h[states];
alignas(4096) static double out[(n + 1) * (n + 1) + 2 * NUM_REACTIONS];

template <typename Function>
static void time_of(const char *name, Function function)
{
  double least = 1e30;
  for (int round = 0; round < rounds; ++round) {
    int repeats = 0;
    const auto start = std::chrono::steady_clock::now();
    double passed = 0.0;
    while (passed < 2e6) {
      for (int i = 0; i < states; ++i) {
        function(i, out);
        // As if all of it was read
        asm volatile("" : : "r"(out) : "memory");
      }
      ++repeats;
      passed = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
    }
    least = std::fmin(least, passed / (states * repeats));
  }
  std::printf("%-16s %10.1f\n", name, least);
}

int main()
{
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (int i = 0; i < states; ++i) {
    t[i] = 600.0 + 2200.0 * unit(random);
    const double p = 1013250.0 * std::pow(30.0, unit(random));
    double sum = 0.0;
    for (int k = 0; k < n; ++k) sum += x[i][k] = std::pow(unit(random), 3.0);
    for (int k = 0; k < n; ++k) x[i][k] /= sum;
    CKXTY(x[i], y[i]);
    CKXTCP(p, t[i], x[i], c[i]);
    for (int k = 0; k < n; ++k) c_si[i][k] = 1e6 * c[i][k];
    CKUBMS(t[i], y[i], e[i]);
    CKHBMS(t[i], y[i], h[i]);
  }
  time_of("cp_R", [](int i, double *out) { cp_R(out, t[i]); });
  time_of("gibbs", [](int i, double *out) { gibbs(out, t[i]); });
  time_of("dcvpRdT", [](int i, double *out) { dcvpRdT(out, t[i]); });
  time_of("CKHMS", [](int i, double *out) { CKHMS(t[i], out); });
  time_of("CKUMS", [](int i, double *out) { CKUMS(t[i], out); });
  time_of("CKCPBS", [](int i, double *out) { CKCPBS(t[i], y[i], *out); });
  time_of("CKCVBS", [](int i, double *out) { CKCVBS(t[i], y[i], *out); });
  time_of("CKHBMS", [](int i, double *out) { CKHBMS(t[i], y[i], *out); });
  time_of("CKUBMS", [](int i, double *out) { CKUBMS(t[i], y[i], *out); });
  time_of("GET_T_GIVEN_EY", [](int i, double *out) {
    int error;
    *out = 1.05 * t[i];
    GET_T_GIVEN_EY(e[i], y[i], *out, error);
  });
  time_of("GET_T_GIVEN_HY", [](int i, double *out) {
    int error;
    *out = 1.05 * t[i];
    GET_T_GIVEN_HY(h[i], y[i], *out, error);
  });
  time_of("CKYTX", [](int i, double *out) { CKYTX(y[i], out); });
  time_of("CKYTCR", [](int i, double *out) { CKYTCR(1e-3, t[i], y[i], out); });
  time_of("CKPY", [](int i, double *out) { CKPY(1e-3, t[i], y[i], *out); });
  time_of("CKWC", [](int i, double *out) { CKWC(t[i], c[i], out); });
  time_of("CKWYP", [](int i, double *out) { CKWYP(1013250.0, t[i], y[i], out); });
  time_of("productionRate", [](int i, double *out) { productionRate(out, c_si[i], t[i]); });
#ifndef REDUCED
  time_of("comp_qfqr", [](int i, double *out) {
    comp_qfqr(out, out + NUM_REACTIONS, c_si[i], nullptr, t[i], 1.0 / t[i], std::log(t[i]));
  });
#endif
  for (const int pressure : {0, 1}) {
    time_of(pressure ? "DWDOT (p)" : "DWDOT (v)", [&](int i, double *out) { DWDOT(out, c[i], &t[i], &pressure); });
  }
}
