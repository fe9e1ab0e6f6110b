// Advances states that it reads (with an argument it prints them), and prints for each time and tolerance what that takes and how exact it is.
#include "NAME_reactor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <vector>

static double seconds(clockid_t clock)
{
  timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

static std::vector<double> read(size_t count)
{
  std::vector<double> values(count);
  for (double &value : values) {
    if (std::scanf("%lf", &value) != 1) std::exit(2);
  }
  return values;
}

// The states as lines that the program of --emit cvode reads.
static void print_conditions(const std::vector<double> &given, double pressure)
{
  for (size_t i = 0; i < given.size(); i += SPECIES + 1) {
    std::printf("%.17g %.17g", given[i], pressure);
    for (int k = 0; k < SPECIES; ++k) std::printf(" %s:%.17g", NAME_species_names[k], given[i + 1 + k] / NAME_molecular_weights[k]);
    std::printf("\n");
  }
}

int main(int count, char **)
{
  int states, repeats, times;
  double pressure;
  if (std::scanf("%d %d %d %lf", &states, &repeats, &times, &pressure) != 4) return 2;
  const int species = SPECIES, points = states * repeats;
  const std::vector<double> given = read((size_t)states * (species + 1));
  if (count > 1) return print_conditions(given, pressure), 0;
  std::vector<double> t(points), p(points, pressure), y((size_t)species * points), dt(points), new_t(points), new_y(y.size());
  std::vector<int> status(points), steps(points), rejected(points);
  for (int i = 0; i < points; ++i) {
    const double *state = &given[(size_t)(i % states) * (species + 1)];
    t[i] = state[0];
    for (int k = 0; k < species; ++k) y[(size_t)k * points + i] = state[1 + k];
  }
  NAME_context *context = nullptr;
  if (NAME_context_create(&context)) return 2;
  for (int n = 0; n < times; ++n) {
    double time;
    if (std::scanf("%lf", &time) != 1) return 2;
    const std::vector<double> exact = read(given.size());
    std::fill(dt.begin(), dt.end(), time);
    for (double tolerance : {1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 1e-7, 1e-8}) {
      const NAME_reactor_options options = {tolerance, 1e-6 * tolerance, 0.0, 1000000, nullptr};
      const NAME_reactor_results results = {status.data(), steps.data(), rejected.data(), nullptr, nullptr, nullptr, nullptr};
      const double begin = seconds(CLOCK_PROCESS_CPUTIME_ID), on_the_wall = seconds(CLOCK_MONOTONIC);
      if (NAME_reactor_advance(context, t.data(), p.data(), y.data(), dt.data(), new_t.data(), new_y.data(), nullptr, &results, &options, points, points, nullptr, nullptr)) return 2;
      const double taken = seconds(CLOCK_PROCESS_CPUTIME_ID) - begin, wall = seconds(CLOCK_MONOTONIC) - on_the_wall;
      double squares = 0.0;
      long all = 0, again = 0, failed = 0;
      for (int i = 0; i < points; ++i) {
        all += steps[i], again += rejected[i], failed += status[i] != 0;
        for (int k = 0; k < species; ++k) {
          const double wanted = exact[(size_t)(i % states) * (species + 1) + 1 + k];
          const double error = (new_y[(size_t)k * points + i] - wanted) / (std::fabs(wanted) + 1e-9);
          squares += error * error;
        }
      }
      std::printf("%g %g %.9g %.9g %.9g %.9g %.9g %ld\n", time, tolerance, points / taken, points / wall, (double)all / points,
                  (double)again / points, std::sqrt(squares / ((double)points * species)), failed);
    }
  }
  return 0;
}
