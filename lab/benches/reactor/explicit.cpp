// Advances states that it reads by rodas5p and by what takes an explicit method for points that are not stiff, in turns, and prints for each time
// and tolerance the least time of the processor, steps and errors of both.
#include "chosen_reactor.h"
#include "stiff_reactor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

enum { species = CHOSEN_SPECIES, turns = 3 };

static double seconds()
{
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

struct Points {
  int count;
  std::vector<double> t, p, y, dt;
};

// What became of the points.
struct End {
  std::vector<double> t, y;
  std::vector<int> status, steps, is_stiff;
  double taken;
};

static End begun(const Points &points)
{
  const size_t n = points.count;
  return {std::vector<double>(n), std::vector<double>(points.y.size()), std::vector<int>(n), std::vector<int>(n), std::vector<int>(n, 1), 0.0};
}

static End stiff(stiff_context *context, const Points &of, double tolerance)
{
  End end = begun(of);
  const stiff_reactor_options options = {tolerance, 1e-6 * tolerance, 0.0, 1000000, nullptr};
  stiff_reactor_results results = stiff_reactor_results();
  results.status = end.status.data();
  results.steps = end.steps.data();
  const double begin = seconds();
  if (stiff_reactor_advance(context, of.t.data(), of.p.data(), of.y.data(), of.dt.data(), end.t.data(), end.y.data(), nullptr, &results,
                            &options, of.count, of.count, nullptr, nullptr)) std::exit(2);
  end.taken = seconds() - begin;
  return end;
}

static End by_choice(chosen_context *context, const Points &of, double tolerance)
{
  End end = begun(of);
  const chosen_reactor_options options = {tolerance, 1e-6 * tolerance, 0.0, 1000000, nullptr};
  chosen_reactor_results results = chosen_reactor_results();
  results.status = end.status.data();
  results.steps = end.steps.data();
  results.is_stiff = end.is_stiff.data();
  const double begin = seconds();
  if (chosen_reactor_advance(context, of.t.data(), of.p.data(), of.y.data(), of.dt.data(), end.t.data(), end.y.data(), nullptr, &results,
                           &options, of.count, of.count, nullptr, nullptr)) std::exit(2);
  end.taken = seconds() - begin;
  return end;
}

static double error(const End &end, const End &exact)
{
  double squares = 0.0;
  for (size_t i = 0; i < end.y.size(); ++i) {
    const double relative = (end.y[i] - exact.y[i]) / (std::fabs(exact.y[i]) + 1e-9);
    squares += relative * relative;
  }
  return std::sqrt(squares / end.y.size());
}

int main(int count, char **arguments)
{
  Points points;
  double pressure;
  if (count < 3 || std::scanf("%d %lf", &points.count, &pressure) != 2) return 2;
  const int n = points.count;
  points.t.resize(n), points.p.assign(n, pressure), points.y.resize((size_t)n * species);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < species; ++k) {
      if (std::scanf("%lf", &points.y[(size_t)k * n + i]) != 1) return 2;
    }
    if (std::scanf("%lf", &points.t[i]) != 1) return 2;
  }
  stiff_context *of_stiff = nullptr;
  chosen_context *of_auto = nullptr;
  if (stiff_context_create(&of_stiff) || chosen_context_create(&of_auto)) return 2;
  for (int a = 1; a < count; ++a) {
    points.dt.assign(n, std::atof(arguments[a]));
    const End exact = stiff(of_stiff, points, 1e-10);
    for (double tolerance : {1e-4, 1e-6}) {
      End best[2] = {stiff(of_stiff, points, tolerance), by_choice(of_auto, points, tolerance)};
      for (int turn = 1; turn < turns; ++turn) {
        best[0].taken = std::min(best[0].taken, stiff(of_stiff, points, tolerance).taken);
        best[1].taken = std::min(best[1].taken, by_choice(of_auto, points, tolerance).taken);
      }
      long steps = 0, of_explicit = 0, explicit_points = 0, failed = 0;
      for (int i = 0; i < n; ++i) {
        steps += best[0].steps[i];
        failed += best[0].status[i] != 0 || best[1].status[i] != 0;
        if (!best[1].is_stiff[i]) ++explicit_points, of_explicit += best[1].steps[i];
      }
      std::printf("%s %g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %ld\n", arguments[a], tolerance, 1e6 * best[0].taken / n, (double)steps / n,
                  error(best[0], exact), 1e6 * best[1].taken / n, (double)explicit_points / n,
                  explicit_points ? (double)of_explicit / explicit_points : 0.0, error(best[1], exact), failed);
    }
  }
  return 0;
}
