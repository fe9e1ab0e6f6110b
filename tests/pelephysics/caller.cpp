// Calls what mechanism.H and mechanism.cpp have as PelePhysics' solvers do, and prints it: a name, then numbers.
// Reads pressure (dyn/cm^2), temperature (K) and mole fractions.

#include "mechanism.H"

#include <cmath>
#include <iostream>

enum { n = NUM_SPECIES, size = n + 1 };

static void put(const char *what, const double *values, int count)
{
  std::cout << what;
  for (int i = 0; i < count; ++i) std::cout << ' ' << values[i];
  std::cout << '\n';
}

static void expect(bool is_true, const char *what)
{
  if (is_true) return;
  std::cerr << "not so: " << what << '\n';
  std::exit(1);
}

// The rate of the temperature, at constant pressure or volume
static double warming(const double *sc, double t, int at_pressure)
{
  double w[n], of[n], capacity = 0.0, heat = 0.0;
  productionRate(w, sc, t);
  at_pressure ? CKHML(t, of) : CKUML(t, of);
  for (int k = 0; k < n; ++k) heat += of[k] * w[k];
  at_pressure ? CKCPML(t, of) : CKCVML(t, of);
  for (int k = 0; k < n; ++k) capacity += of[k] * sc[k];
  return -heat / capacity;
}

static void jacobian(const double *sc, double t)
{
  double J[size * size], dwdot[size * size], c[n];
  for (int k = 0; k < n; ++k) c[k] = 1e-6 * sc[k];
  for (int at_pressure = 0; at_pressure < 2; ++at_pressure) {
    aJacobian(J, sc, t, at_pressure);
    DWDOT(dwdot, c, &t, &at_pressure);
    double largest = 0.0;
    for (int j = 0; j < n; ++j) largest = std::fmax(largest, std::fabs(J[size * j + n]));
    for (int j = 0; j < size; ++j) {
      double low[size], high[size];
      for (int k = 0; k < n; ++k) low[k] = high[k] = sc[k];
      low[n] = high[n] = t;
      const double by = 1e-5 * (j < n ? sc[j] : t);
      low[j] -= by;
      high[j] += by;
      const double slope = (warming(high, high[n], at_pressure) - warming(low, low[n], at_pressure)) / (2.0 * by);
      expect(std::fabs(slope - J[size * j + n]) < 1e-6 * (j < n ? largest : std::fabs(slope)), "the temperature's row");
      for (int i = 0; i < size; ++i) {
        const double unit = (i < n ? 1.0 : 1e6) * (j < n ? 1.0 : 1e-6);
        expect(std::fabs(dwdot[size * j + i] - (i == n && j == n ? 1.0 : unit) * J[size * j + i]) <= 1e-9 * std::fabs(dwdot[size * j + i]), "DWDOT");
      }
    }
  }
  for (int j = 0; j < size; ++j) put("column", J + size * j, n);
}

// Every way to tell of the pattern has the entries of the matrix, and the diagonal where systems are meant.
static void patterns(const double *sc, double t)
{
  const int at_pressure = 1, cells = 2;
  double J[size * size];
  aJacobian(J, sc, t, at_pressure);
  int count, systems, simple;
  SPARSITY_INFO(&count, &at_pressure, cells);
  SPARSITY_INFO_SYST(&systems, &at_pressure, cells);
  SPARSITY_INFO_SYST_SIMPLIFIED(&simple, &at_pressure);
  expect(systems == cells * simple && count <= systems, "counts");
  std::vector<int> rows(count), columns(cells * size + 1), of_rows(systems), ends(cells * size + 1), places(simple);
  SPARSITY_PREPROC_CSC(rows.data(), columns.data(), &at_pressure, cells);
  expect(columns[0] == 0 && columns.back() == count, "CSC");
  std::vector<bool> is_entry(size * size);
  for (int j = size; j < 2 * size; ++j) {
    for (int e = columns[j]; e < columns[j + 1]; ++e) is_entry[(j - size) * size + rows[e] - size] = true;
  }
  for (int i = 0; i < size * size; ++i) expect(is_entry[i] || J[i] == 0.0, "an entry that is not in CSC");
  for (int base = 0; base < 2; ++base) {
    SPARSITY_PREPROC_SYST_CSR(of_rows.data(), ends.data(), &at_pressure, cells, base);
    expect(ends[0] == base && ends.back() == systems + base, "CSR");
    for (int i = 0; i < size; ++i) {
      int found = 0;
      for (int e = ends[i]; e < ends[i + 1]; ++e) {
        const int j = of_rows[e - base] - base;
        expect(i == j || is_entry[j * size + i], "an entry of CSR alone");
        found += is_entry[j * size + i];
      }
      for (int j = 0; j < size; ++j) found -= is_entry[j * size + i];
      expect(found == 0, "rows of CSR");
    }
  }
  std::vector<int> simple_rows(simple), simple_columns(size + 1);
  SPARSITY_PREPROC_SYST_SIMPLIFIED_CSC(simple_rows.data(), simple_columns.data(), places.data(), &at_pressure);
  for (int j = 0; j < size; ++j) {
    for (int e = simple_columns[j]; e < simple_columns[j + 1]; ++e) expect(places[e] == j * size + simple_rows[e], "places");
  }
}

static void reactions()
{
  int most, atoms[NUM_ELEMENTS * n], count;
  CKNCF(atoms);
  CKINU(0, most, nullptr, nullptr);
  std::vector<int> species(most), coefficients(most);
  CKINU(NUM_REACTIONS + 1, count, nullptr, nullptr);
  expect(count == -1, "no such reaction");
  for (int i = 1; i <= NUM_REACTIONS; ++i) {
    CKINU(i, count, species.data(), coefficients.data());
    expect(count > 0 && count <= most, "species of a reaction");
    // Quasi-steady species have no atoms here.
    bool is_known = true;
    for (int j = 0; j < count; ++j) is_known = is_known && species[j] <= n;
    for (int e = 0; is_known && e < NUM_ELEMENTS; ++e) {
      int sum = 0;
      for (int j = 0; j < count; ++j) sum += coefficients[j] * atoms[(species[j] - 1) * NUM_ELEMENTS + e];
      expect(sum == 0, "atoms of a reaction");
    }
  }
}

static void transport(double t)
{
  static double viscosity[4 * n], conductivity[4 * n], diffusion[4 * n * n];
  egtransetCOFETA(viscosity);
  egtransetCOFLAM(conductivity);
  egtransetCOFD(diffusion);
  const double l = std::log(t);
  const auto at = [&](const double *fit) { return std::exp(fit[0] + l * (fit[1] + l * (fit[2] + l * fit[3]))); };
  double eta[n], lambda[n], pairs[n];
  for (int k = 0; k < n; ++k) {
    eta[k] = at(viscosity + 4 * k);
    lambda[k] = at(conductivity + 4 * k);
    pairs[k] = at(diffusion + 4 * (k + n * ((k + 3) % n)));
    expect(pairs[k] == at(diffusion + 4 * (k * n + (k + 3) % n)), "diffusion of pairs is symmetric");
  }
  put("viscosities", eta, n);
  put("conductivities", lambda, n);
  put("pairs", pairs, n);
  double of[n];
  egtransetEPS(of);
  put("eps", of, n);
  int light, places[3];
  egtransetNLITE(&light);
  egtransetKTDIF(places);
  expect(light > 0 && light <= 3 && mw(places[0]) < 5.0, "light species");
}

int main()
{
  std::cout.precision(17);
  double p, t, x[n], y[n], c[n], sc[n], w[n], rho, value;
#ifndef REDUCED
  double forward[NUM_REACTIONS], reverse[NUM_REACTIONS];
#endif
  std::cin >> p >> t;
  for (double &fraction : x) std::cin >> fraction;
  CKXTY(x, y);
  CKRHOY(p, t, y, rho);
  CKYTCR(rho, t, y, c);
  for (int k = 0; k < n; ++k) sc[k] = 1e6 * c[k];
  put("density", &rho, 1);
  CKPY(rho, t, y, value);
  put("pressure", &value, 1);
  CKMMWC(c, value);
  put("mean", &value, 1);
  CKCPBS(t, y, value);
  put("cp", &value, 1);
  double energy, enthalpy;
  CKUBMS(t, y, energy);
  put("u", &energy, 1);
  CKHBMS(t, y, enthalpy);
  put("h", &enthalpy, 1);
  CKSML(t, w);
  put("s", w, n);
  int error;
  for (const double guess : {300.0, 1e9}) {
    value = guess;
    GET_T_GIVEN_EY(energy, y, value, error);
    expect(error == 0, "a temperature of an energy");
    put("temperature", &value, 1);
    value = guess;
    GET_T_GIVEN_HY(enthalpy, y, value, error);
    expect(error == 0, "a temperature of an enthalpy");
    put("temperature", &value, 1);
  }
  GET_T_GIVEN_HY(1e13, y, value, error);
  expect(error == 1 && value > 4000.0, "an enthalpy beyond the polynomials");
  CKWYP(p, t, y, w);
  put("production", w, n);
  CKWXP(p, t, x, w);
  put("production", w, n);
  CKWYR(rho, t, y, w);
  put("production", w, n);
  CKWC(t, c, w);
  put("production", w, n);
  productionRate(w, sc, t);
  put("production-si", w, n);
#ifndef REDUCED
  CKKFKR(p, t, x, forward, reverse);
  put("forward", forward, NUM_REACTIONS);
  put("reverse", reverse, NUM_REACTIONS);
  comp_qfqr(forward, reverse, sc, nullptr, t, 1.0 / t, std::log(t));
  put("forward-si", forward, NUM_REACTIONS);
#endif
  amrex::Vector<std::string> names;
  CKSYMS_STR(names);
  expect(names.size() == n && names[H2O_ID] == "H2O", "names");
  jacobian(sc, t);
  patterns(sc, t);
  reactions();
  transport(t);
}
