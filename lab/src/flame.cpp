// Rates and transport of Cantera by kernels in double, single and mixed precision, which are called point by point. `flame.py` builds this with the kernels.

#include <cantera/kinetics/BulkKinetics.h>
#include <cantera/kinetics/KineticsFactory.h>
#include <cantera/thermo/ThermoPhase.h>
#include <cantera/transport/MixTransport.h>
#include <cantera/transport/TransportFactory.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "doubles.h"
#include "rates.h"
#include "singles.h"

// The kernels in mixed precision, in pairs.cpp
void pairs_of_viscosity(const double *t, const double *p, const double *x, double *out);
void pairs_of_conductivity(const double *t, const double *p, const double *x, double *out);
void pairs_of_diffusion(const double *t, const double *p, const double *x, double *out);

namespace {

using Function = void(const double *t, const double *p, const double *x, double *out);

enum { kk = DOUBLES_SPECIES_COUNT };
static_assert(kk == SINGLES_SPECIES_COUNT && kk == RATES_SPECIES_COUNT, "all are of one mechanism");

// How often rates and transport came from kernels
long long calls_of_rates = 0, calls_of_transport = 0;

template <typename Context> Context *made(int (*create)(Context **))
{
  Context *context = nullptr;
  if (create(&context) != SINGE_SUCCESS) throw std::runtime_error("a context cannot be made");
  return context;
}

// The launch of a library on one point
template <auto create, auto launch> void on_a_point(const double *t, const double *p, const double *x, double *out)
{
  static const auto context = made(create);
  if (launch(context, t, p, x, out, 1, 1, nullptr) != SINGE_SUCCESS) throw std::runtime_error("a launch failed");
}

// What kernels take of a phase. Fractions that are negative count as zero.
struct State {
  double t, p, x[kk];

  explicit State(const Cantera::ThermoPhase &phase) : t(phase.temperature()), p(phase.pressure())
  {
    if (phase.nSpecies() != kk) throw std::runtime_error("the phase has other species");
    phase.getMoleFractions(x);
    for (double &fraction : x) fraction = std::max(fraction, 0.0);
  }
};

template <Function chemistry> class Rates final : public Cantera::BulkKinetics {
public:
  void getNetProductionRates(double *net) override
  {
    const State state(thermo());
    chemistry(&state.t, &state.p, state.x, net);
    ++calls_of_rates;
  }
};

// Fits are CHEMKIN's, as those of the kernels are.
template <Function of_viscosity, Function of_conductivity, Function of_diffusion>
class Transport final : public Cantera::MixTransport {
public:
  void init(Cantera::ThermoPhase *phase, int) override { MixTransport::init(phase, Cantera::CK_Mode); }

  double viscosity() override { return scalar(of_viscosity); }

  double thermalConductivity() override { return scalar(of_conductivity); }

  void getMixDiffCoeffs(double *coefficients) override { compute(of_diffusion, coefficients); }

private:
  double scalar(Function *function)
  {
    double value;
    compute(function, &value);
    return value;
  }

  void compute(Function *function, double *out)
  {
    const State state(*m_thermo);
    function(&state.t, &state.p, state.x, out);
    ++calls_of_transport;
  }
};

template <typename Class> void add_rates(const char *name)
{
  Cantera::KineticsFactory::factory()->reg(name, []() -> Cantera::Kinetics * { return new Class; });
}

template <typename Class> void add_transport(const char *name)
{
  Cantera::TransportFactory::factory()->reg(name, []() -> Cantera::Transport * { return new Class; });
}

} // namespace

#define DOUBLES(kernel) on_a_point<doubles_context_create, doubles_##kernel##_launch>
#define SINGLES(kernel) on_a_point<singles_context_create, singles_##kernel##_launch>

// From now on phases may name these rates and this transport.
extern "C" void flame_register()
{
  add_rates<Rates<DOUBLES(chemistry)>>("rates-double");
  add_rates<Rates<on_a_point<rates_context_create, rates_chemistry_launch>>>("rates-single");
  add_transport<Transport<DOUBLES(viscosity), DOUBLES(conductivity), DOUBLES(diffusion)>>("transport-double");
  add_transport<Transport<SINGLES(viscosity), SINGLES(conductivity), SINGLES(diffusion)>>("transport-single");
  add_transport<Transport<pairs_of_viscosity, pairs_of_conductivity, pairs_of_diffusion>>("transport-mixed");
}

extern "C" long long flame_calls_of_rates() { return calls_of_rates; }

extern "C" long long flame_calls_of_transport() { return calls_of_transport; }
