// Rates and transport of Cantera that come from functions of one point. The including file has defined GAS, the namespace of these
// functions, NAME, what Cantera shall call the rates and the transport, and TRANSPORT where there are functions for that.

#include <cantera/kinetics/BulkKinetics.h>
#include <cantera/kinetics/KineticsFactory.h>
#include <cantera/thermo/ThermoPhase.h>
#include <cantera/transport/MixTransport.h>
#include <cantera/transport/TransportFactory.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

namespace gas = GAS;

enum { kk = gas::species_count, ii = gas::reaction_count };

// What the functions take of a phase
struct State {
  double t, p, x[kk];

  // Not for phases with other species
  bool read(const Cantera::ThermoPhase &phase)
  {
    if (phase.nSpecies() != kk) return false;
    t = phase.temperature();
    p = phase.pressure();
    phase.getMoleFractions(x);
    return true;
  }
};

// Rates of progress by one function
struct Progress {
  double forward[ii], reverse[ii];

  explicit Progress(const State &state) { gas::progress(&state.t, &state.p, state.x, 1, forward, 1); }
};

static_assert(sizeof(Progress) == 2 * ii * sizeof(double), "the function's rows lie side by side");

// Rates are ours as long as the reactions are those that the functions were made of. Rate constants and derivatives are Cantera's, and so
// are rates where a fraction is negative: ours count it as zero, and integrators that pass zero want rates which go on smoothly there.
class Rates final : public Cantera::BulkKinetics {
public:
  std::string kineticsType() const override { return NAME; }

  void setMultiplier(size_t i, double factor) override
  {
    BulkKinetics::setMultiplier(i, factor);
    is_counted = false;
  }

  bool addReaction(std::shared_ptr<Cantera::Reaction> reaction, bool resize) override
  {
    is_counted = false;
    return BulkKinetics::addReaction(reaction, resize);
  }

  void modifyReaction(size_t i, std::shared_ptr<Cantera::Reaction> reaction) override
  {
    BulkKinetics::modifyReaction(i, reaction);
    is_modified = true;
    is_counted = false;
  }

  void getNetProductionRates(double *net) override
  {
    State state;
    if (!is_ours(state)) return BulkKinetics::getNetProductionRates(net);
    gas::chemistry(&state.t, &state.p, state.x, 1, net, 1);
  }

  void getCreationRates(double *creation) override
  {
    State state;
    if (!is_ours(state)) return BulkKinetics::getCreationRates(creation);
    const Progress rates(state);
    std::fill(creation, creation + kk, 0.0);
    m_productStoich.incrementSpecies(rates.forward, creation);
    m_reactantStoich.incrementSpecies(rates.reverse, creation);
  }

  void getDestructionRates(double *destruction) override
  {
    State state;
    if (!is_ours(state)) return BulkKinetics::getDestructionRates(destruction);
    const Progress rates(state);
    std::fill(destruction, destruction + kk, 0.0);
    m_reactantStoich.incrementSpecies(rates.forward, destruction);
    m_revProductStoich.incrementSpecies(rates.reverse, destruction);
  }

  void getFwdRatesOfProgress(double *forward) override
  {
    State state;
    if (!is_ours(state)) return BulkKinetics::getFwdRatesOfProgress(forward);
    const Progress rates(state);
    std::copy(rates.forward, rates.forward + ii, forward);
  }

  void getRevRatesOfProgress(double *reverse) override
  {
    State state;
    if (!is_ours(state)) return BulkKinetics::getRevRatesOfProgress(reverse);
    const Progress rates(state);
    std::copy(rates.reverse, rates.reverse + ii, reverse);
  }

  void getNetRatesOfProgress(double *net) override
  {
    State state;
    if (!is_ours(state)) return BulkKinetics::getNetRatesOfProgress(net);
    const Progress rates(state);
    for (int i = 0; i < ii; ++i) net[i] = rates.forward[i] - rates.reverse[i];
  }

private:
  bool is_modified = false;
  bool is_counted = false;
  bool is_unchanged = false;

  bool is_ours(State &state)
  {
    if (!is_counted) {
      const bool has_ours = !is_modified && nReactions() == ii && nPhases() == 1;
      is_unchanged = has_ours && std::all_of(m_perturb.begin(), m_perturb.end(), [](double factor) { return factor == 1.0; });
      is_counted = true;
    }
    return is_unchanged && state.read(thermo()) && std::all_of(state.x, state.x + kk, [](double x) { return x >= 0.0; });
  }
};

#ifdef TRANSPORT
// Whatever else transport has, such as coefficients of thermal diffusion, is Cantera's, with fits as CHEMKIN makes them, as ours are.
class Transport final : public Cantera::MixTransport {
public:
  void init(Cantera::ThermoPhase *phase, int) override { MixTransport::init(phase, Cantera::CK_Mode); }

  double viscosity() override
  {
    State state;
    if (!state.read(*m_thermo)) return MixTransport::viscosity();
    double viscosity;
    gas::viscosity(&state.t, &state.p, state.x, 1, &viscosity, 1);
    return viscosity;
  }

  double thermalConductivity() override
  {
    State state;
    if (!state.read(*m_thermo)) return MixTransport::thermalConductivity();
    double conductivity;
    gas::conductivity(&state.t, &state.p, state.x, 1, &conductivity, 1);
    return conductivity;
  }

  void getMixDiffCoeffs(double *coefficients) override
  {
    State state;
    if (!state.read(*m_thermo)) return MixTransport::getMixDiffCoeffs(coefficients);
    gas::diffusion(&state.t, &state.p, state.x, 1, coefficients, 1);
  }
};
#endif

} // namespace

// From now on phases may name these rates and this transport.
extern "C" void singe_register()
{
  Cantera::KineticsFactory::factory()->reg(NAME, []() -> Cantera::Kinetics * { return new Rates; });
#ifdef TRANSPORT
  Cantera::TransportFactory::factory()->reg(NAME, []() -> Cantera::Transport * { return new Transport; });
#endif
}
