// Advances cells by ReactorSinge as PelePhysics' programs do. Reads the reactor's type, the time in s and, for each of four cells, the densities of all
// species, their sources, the temperature, the density of the energy and its source, in CGS; prints for each the densities at the end, the
// temperature and the density of the energy: once of fields, once of packed arrays.

#include "ReactorSinge.H"

#include <cfenv>
#include <iostream>

enum { n = NUM_SPECIES, cells = 4 };

static void expect(bool is_true, const char *what)
{
  if (is_true) return;
  std::cerr << "not so: " << what << '\n';
  std::exit(1);
}

int main()
{
  std::cout.precision(17);
  int type;
  double dt, time = 1.0;
  std::cin >> type >> dt;
  // A field has a row of cells that are no cells of the box.
  const amrex::Dim3 begin = {2, 1, 0};
  const amrex::Box box = {{2, 2, 0}, {5, 2, 0}};
  double rho_y[n * 8] = {}, sources[n * 8] = {}, temperature[8] = {}, energy[8] = {}, heating[8] = {}, counts[8] = {};
  double packed[(n + 1) * cells], packed_sources[n * cells], packed_energy[cells], packed_heating[cells];
  int mask[8] = {};
  const auto field = [&](double *p) { return amrex::Array4<double>{p, begin, 4, 8, 8}; };
  for (int i = 0; i < cells; ++i) {
    for (int k = 0; k < n; ++k) std::cin >> field(rho_y)(2 + i, 2, 0, k);
    for (int k = 0; k < n; ++k) std::cin >> field(sources)(2 + i, 2, 0, k);
    std::cin >> field(temperature)(2 + i, 2, 0) >> field(energy)(2 + i, 2, 0) >> field(heating)(2 + i, 2, 0);
    for (int k = 0; k < n; ++k) packed[(n + 1) * i + k] = field(rho_y)(2 + i, 2, 0, k);
    for (int k = 0; k < n; ++k) packed_sources[n * i + k] = field(sources)(2 + i, 2, 0, k);
    packed[(n + 1) * i + n] = field(temperature)(2 + i, 2, 0);
    packed_energy[i] = field(energy)(2 + i, 2, 0);
    packed_heating[i] = field(heating)(2 + i, 2, 0);
  }
  expect(bool(std::cin), "the numbers are there");
  amrex::inputs["singe.rtol"] = 1e-10;
  amrex::inputs["singe.atol"] = 1e-16;
  pele::physics::reactions::ReactorSinge reactor;
  reactor.init(type, 1);
  // The host of a GPU sees nothing of the device's traps.
#ifndef AMREX_USE_GPU
  feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
#endif
  // The last cell is covered: it stays as it is.
  mask[7] = -1;
  const int most = reactor.react(box, field(rho_y), field(sources), field(temperature), field(energy), field(heating), field(counts),
    {mask, begin, 4, 8, 8}, dt, time OF_HOST);
#ifndef AMREX_USE_GPU
  expect(fegetexcept() == (FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW), "traps are back");
#endif
  expect(most > 0 && counts[4] > 0.0 && counts[7] == 0.0 && counts[0] == 0.0, "steps are counted");
  expect(time == 1.0 + dt, "time goes on");
  for (int i = 0; i < cells; ++i) {
    for (int k = 0; k < n; ++k) std::cout << field(rho_y)(2 + i, 2, 0, k) << ' ';
    std::cout << field(temperature)(2 + i, 2, 0) << ' ' << field(energy)(2 + i, 2, 0) << '\n';
  }
  reactor.react(packed, packed_sources, packed_energy, packed_heating, dt, time, cells OF_HOST);
  for (int i = 0; i < cells; ++i) {
    for (int k = 0; k <= n; ++k) std::cout << packed[(n + 1) * i + k] << ' ';
    std::cout << packed_energy[i] << '\n';
  }
  reactor.close();
}
