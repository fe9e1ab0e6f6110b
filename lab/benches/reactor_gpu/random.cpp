// Advances points that it reads by the reactors of a CPU and by those of a GPU on the stand-in, with factors in doubles and in floats, and prints for each time
// and tolerance what becomes of them.
#include "cpu_reactor.h"
#include "doubles_reactor.h"
#include "singles_reactor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { species = CPU_SPECIES };

struct Points {
  int count;
  std::vector<double> t, p, y, dt;
};

// What became of the points.
struct End {
  std::vector<double> t, y;
  std::vector<int> status, steps, rejected;
};

#define ADVANCE(name)                                                                                                                          \
  static End by_##name(const Points &of, double tolerance)                                                                                     \
  {                                                                                                                                            \
    const size_t n = of.count;                                                                                                                 \
    End end = {std::vector<double>(n), std::vector<double>(of.y.size()), std::vector<int>(n), std::vector<int>(n), std::vector<int>(n)};       \
    name##_context *context = nullptr;                                                                                                         \
    size_t bytes = 0;                                                                                                                          \
    if (name##_context_create(&context) || name##_reactor_workspace(context, of.count, &bytes)) std::exit(2);                                  \
    std::vector<double> workspace(bytes / sizeof(double) + 1);                                                                                 \
    const name##_reactor_options options = {tolerance, 1e-6 * tolerance, 0.0, 100000, nullptr};                                                \
    name##_reactor_results results = name##_reactor_results();                                                                                 \
    results.status = end.status.data();                                                                                                        \
    results.steps = end.steps.data();                                                                                                          \
    results.rejected = end.rejected.data();                                                                                                    \
    if (name##_reactor_advance(context, of.t.data(), of.p.data(), of.y.data(), of.dt.data(), end.t.data(), end.y.data(), nullptr, &results,    \
                               &options, of.count, of.count, workspace.data(), nullptr)) std::exit(2);                                         \
    return end;                                                                                                                                \
  }
ADVANCE(cpu)
ADVANCE(doubles)
ADVANCE(singles)

static void read(std::vector<double> &values)
{
  for (double &value : values) {
    if (std::scanf("%lf", &value) != 1) std::exit(2);
  }
}

// Of points that are done the median of the root mean square over species, relative to |Y| + 1e-9: few states end elsewhere by a hair at their beginning.
static double error_of(const End &end, const End &exact)
{
  std::vector<double> errors;
  for (size_t p = 0; p < end.t.size(); ++p) {
    if (end.status[p] != 0 || exact.status[p] != 0) continue;
    double sum = 0.0;
    for (int k = 0; k < species; ++k) {
      const size_t at = k * end.t.size() + p;
      const double apart = (end.y[at] - exact.y[at]) / (std::fabs(exact.y[at]) + 1e-9);
      sum += apart * apart;
    }
    errors.push_back(std::sqrt(sum / species));
  }
  if (errors.empty()) return 0.0;
  std::sort(errors.begin(), errors.end());
  return errors[errors.size() / 2];
}

// Mean steps and rejected ones, points that fail, those of them that the CPU does not fail, points with other bits than the CPU's, and the error.
static void print(const End &end, const End &of_cpu, const End &exact)
{
  double steps = 0.0, rejected = 0.0;
  int failed = 0, alone = 0, others = 0;
  for (size_t p = 0; p < end.t.size(); ++p) {
    steps += end.steps[p];
    rejected += end.rejected[p];
    failed += end.status[p] != 0;
    alone += end.status[p] != 0 && of_cpu.status[p] == 0;
    bool is_same = end.t[p] == of_cpu.t[p] && end.status[p] == of_cpu.status[p] && end.steps[p] == of_cpu.steps[p];
    for (int k = 0; k < species; ++k) is_same = is_same && end.y[k * end.t.size() + p] == of_cpu.y[k * end.t.size() + p];
    others += !is_same;
  }
  const double n = (double)end.t.size();
  std::printf(" %g %g %d %d %d %g", steps / n, rejected / n, failed, alone, others, error_of(end, exact));
}

int main(int count, char **times)
{
  Points all;
  if (std::scanf("%d", &all.count) != 1) return 2;
  const size_t n = all.count;
  all.t.resize(n), all.p.resize(n), all.y.resize(species * n), all.dt.resize(n);
  for (std::vector<double> *field : {&all.t, &all.p, &all.y}) read(*field);
  for (int i = 1; i < count; ++i) {
    std::fill(all.dt.begin(), all.dt.end(), std::atof(times[i]));
    const End exact = by_cpu(all, 1e-10);
    for (double tolerance : {1e-4, 1e-6}) {
      const End of_cpu = by_cpu(all, tolerance);
      std::printf("%s %g", times[i], tolerance);
      print(of_cpu, of_cpu, exact);
      print(by_doubles(all, tolerance), of_cpu, exact);
      print(by_singles(all, tolerance), of_cpu, exact);
      std::printf("\n");
      std::fflush(stdout);
    }
  }
  return 0;
}
