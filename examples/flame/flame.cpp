// A laminar flame of hydrogen and air in one dimension, on any number of MPI ranks, by kernels that singe made. README.md has the commands.
//
// Cells hold constant mass (kg/m^2), so that gas that expands takes its cell with it and no term of convection is left:
//   dY_k/dt = -dj_k/dm + reactions,   dh/dt = -dq/dm,   q = sum h_k j_k - lambda dT/dx,   constant pressure.
// A step is one of diffusion (explicit), then one of chemistry, in which every cell is a reactor.

#include "h2.hpp"
#include "h2_reactor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "memory.h"
#include "ranks.h"

enum { N = H2_SPECIES_COUNT };
const double PRESSURE = 101325.0, GAS_CONSTANT = 8314.462618, FRESH = 300.0, SPARK = 1500.0;

struct Settings {
  int cells = 600;        // of all ranks
  double length = 6e-3;   // of the fresh gas, m
  double time = 1.2e-3;   // s
  double tolerance = 1e-4;
};

// Cells 1 ... cells are this rank's; 0 and cells + 1 are their neighbours. Faces 0 ... cells lie between. All arrays are field-major.
struct Slab {
  int cells, stride;
  double mass;                                      // of a cell, kg/m^2
  Array temperature, pressure, y, enthalpy, step;   // of cells
  Array face_temperature, face_y, gradients, conductivity, fluxes; // of faces

  Slab(int cells, double mass)
    : cells(cells), stride(cells + 2), mass(mass), temperature(stride), pressure(stride), y(N * stride), enthalpy(stride), step(stride),
      face_temperature(stride), face_y(N * stride), gradients(N * stride), conductivity(stride), fluxes((N + 1) * stride)
  {
    std::fill_n(pressure.data(), stride, PRESSURE);
  }

  double mean_molar_mass(int cell) const
  {
    double moles = 0.0;
    for (int k = 0; k < N; ++k) moles += y[k * stride + cell] / h2_molecular_weights[k];
    return 1.0 / moles;
  }

  double width(int cell) const { return mass * GAS_CONSTANT * temperature[cell] / (PRESSURE * mean_molar_mass(cell)); }
};

// A stoichiometric mixture, burnt at SPARK in the first tenth of the domain.
static void ignite(Slab &slab, const Settings &settings, const h2::context &context, Workspace &workspace)
{
  const double fuel = 0.02852, oxygen = 0.22635, nitrogen = 1.0 - fuel - oxygen;
  for (int i = 0; i < slab.stride; ++i) {
    const int cell = first_cell(settings.cells) + i - 1;
    slab.temperature[i] = cell < settings.cells / 10 ? SPARK : FRESH;
    slab.step[i] = cell < settings.cells / 10 ? 1e-2 : 0.0;
    for (int k = 0; k < N; ++k) slab.y[k * slab.stride + i] = k == H2_H2 ? fuel : k == H2_O2 ? oxygen : k == H2_N2 ? nitrogen : 0.0;
  }
  react(context, slab.temperature.data(), slab.pressure.data(), slab.y.data(), slab.step.data(), slab.stride, slab.stride, settings.tolerance, workspace);
  context.gas_thermodynamics(slab.temperature.data(), slab.pressure.data(), slab.y.data(), slab.enthalpy.data(), slab.stride, slab.stride);
  wait_for_device();
}

// State and gradients on all faces.
static void interpolate(Slab &slab)
{
  const int stride = slab.stride;
  for (int f = 0; f <= slab.cells; ++f) {
    const double distance = 0.5 * (slab.width(f) + slab.width(f + 1));
    const double left = slab.mean_molar_mass(f), right = slab.mean_molar_mass(f + 1);
    slab.face_temperature[f] = 0.5 * (slab.temperature[f] + slab.temperature[f + 1]);
    for (int k = 0; k < N; ++k) {
      const double a = slab.y[k * stride + f], b = slab.y[k * stride + f + 1];
      slab.face_y[k * stride + f] = 0.5 * (a + b);
      slab.gradients[k * stride + f] = (b * right - a * left) / (h2_molecular_weights[k] * distance);
    }
  }
}

// Moves mass of species and enthalpy through the faces.
static void diffuse(Slab &slab, const h2::context &context, double dt)
{
  const int faces = slab.cells + 1, stride = slab.stride;
  interpolate(slab);
  context.conductivity(slab.face_temperature.data(), slab.pressure.data(), slab.face_y.data(), slab.conductivity.data(), faces, stride);
  context.face_flux(slab.face_temperature.data(), slab.pressure.data(), slab.face_y.data(), slab.gradients.data(), slab.fluxes.data(), faces, stride);
  wait_for_device();
  double *heat = slab.fluxes.data() + H2_FACE_FLUX_ENTHALPY_FLUX * stride;
  for (int f = 0; f < faces; ++f) {
    const double distance = 0.5 * (slab.width(f) + slab.width(f + 1));
    heat[f] -= slab.conductivity[f] * (slab.temperature[f + 1] - slab.temperature[f]) / distance;
  }
  for (int i = 1; i <= slab.cells; ++i) {
    for (int k = 0; k < N; ++k) {
      const double *flux = slab.fluxes.data() + (H2_FACE_FLUX_MASS_FLUXES + k) * stride;
      slab.y[k * stride + i] += dt / slab.mass * (flux[i - 1] - flux[i]);
    }
    slab.enthalpy[i] += dt / slab.mass * (heat[i - 1] - heat[i]);
  }
}

// The temperature that goes with the new enthalpy, then reactions, which keep the enthalpy.
static void burn(Slab &slab, const h2::context &context, double dt, double tolerance, Workspace &workspace)
{
  // The kernel writes temperature and pressure one behind the other: faces' memory has room for both.
  double *state = slab.gradients.data();
  context.energy_temperature(slab.enthalpy.data() + 1, slab.pressure.data() + 1, slab.y.data() + 1, state, slab.cells, slab.stride);
  wait_for_device();
  std::copy_n(state, slab.cells, slab.temperature.data() + 1);
  std::fill_n(slab.step.data(), slab.stride, dt);
  react(context, slab.temperature.data() + 1, slab.pressure.data() + 1, slab.y.data() + 1, slab.step.data() + 1, slab.cells, slab.stride, tolerance, workspace);
}

// The longest step of explicit diffusion that is stable. The lightest species, H, spreads some six times as fast as heat.
static double stable_step(const Slab &slab)
{
  double least = 1e-6;
  for (int i = 1; i <= slab.cells; ++i) {
    const double density = slab.mass / slab.width(i);
    const double heat_capacity = 3.5 * GAS_CONSTANT / slab.mean_molar_mass(i);
    const double diffusivity = 6.0 * slab.conductivity[i] / (density * heat_capacity);
    least = std::min(least, 0.4 * slab.width(i) * slab.width(i) / diffusivity);
  }
  return smallest(least);
}

// Mass behind the flame, kg/m^2: up to where the temperature passes FRONT. Its growth over the fresh gas' density is the flame's speed.
static double burnt_mass(const Slab &slab)
{
  const double FRONT = 1000.0;
  double sum = 0.0;
  for (int i = 1; i <= slab.cells; ++i) {
    const double here = slab.temperature[i], next = slab.temperature[i + 1];
    if (here < FRONT) continue;
    sum += next < FRONT ? slab.mass * (0.5 + (here - FRONT) / (here - next)) : slab.mass;
  }
  return total(sum);
}

// Where cells are, and what they hold: lines of position (m), temperature (K) and mass fractions.
static void write_profile(const Slab &slab, const char *path)
{
  double width = 0.0;
  for (int i = 1; i <= slab.cells; ++i) width += slab.width(i);
  double x = sum_before(width);
  in_turn([&](bool is_first) {
    std::FILE *file = std::fopen(path, is_first ? "w" : "a");
    if (!file) return;
    if (is_first) {
      std::fprintf(file, "x,T");
      for (int k = 0; k < N; ++k) std::fprintf(file, ",%s", h2_species_names[k]);
      std::fprintf(file, "\n");
    }
    for (int i = 1; i <= slab.cells; ++i) {
      std::fprintf(file, "%.6e,%.6e", x + 0.5 * slab.width(i), slab.temperature[i]);
      for (int k = 0; k < N; ++k) std::fprintf(file, ",%.6e", slab.y[k * slab.stride + i]);
      std::fprintf(file, "\n");
      x += slab.width(i);
    }
    std::fclose(file);
  });
}

int main(int count, char **arguments)
{
  const Ranks ranks(&count, &arguments);
  Settings settings;
  if (count > 1) settings.cells = std::atoi(arguments[1]);
  if (count > 2) settings.time = std::atof(arguments[2]);
  choose_device(rank());
  const h2::context context;
  const double molar_mass = 1.0 / (0.02852 / h2_molecular_weights[H2_H2] + 0.22635 / h2_molecular_weights[H2_O2] + 0.74513 / h2_molecular_weights[H2_N2]);
  const double density = PRESSURE * molar_mass / (GAS_CONSTANT * FRESH);
  Slab slab(first_cell(settings.cells, rank() + 1) - first_cell(settings.cells), density * settings.length / settings.cells);
  Workspace workspace(context, slab.stride);
  ignite(slab, settings, context, workspace);

  double time = 0.0, dt = 1e-8, mass_before = burnt_mass(slab), time_before = 0.0;
  long steps = 0;
  const std::clock_t begin = std::clock();
  for (int report = 1; report <= 10; ++report) {
    while (time < settings.time * report / 10) {
      exchange(slab.temperature.data(), slab.y.data(), N, slab.cells, slab.stride);
      diffuse(slab, context, dt);
      burn(slab, context, dt, settings.tolerance, workspace);
      time += dt;
      dt = ++steps % 10 == 1 ? stable_step(slab) : dt;
    }
    exchange(slab.temperature.data(), slab.y.data(), N, slab.cells, slab.stride);
    const double now = burnt_mass(slab), speed = (now - mass_before) / ((time - time_before) * density);
    if (rank() == 0) std::printf("%.3f ms: flame speed %.3f m/s, %ld steps\n", 1e3 * time, speed, steps);
    mass_before = now, time_before = time;
  }
  const double seconds = total((double)(std::clock() - begin) / CLOCKS_PER_SEC);
  if (rank() == 0) std::printf("%.2f million cell steps per second of a core, %d ranks\n", 1e-6 * steps * settings.cells / seconds, rank_count());
  write_profile(slab, "flame.csv");
  return 0;
}
