// Asks a chemistry model of the Foundation's line FOAM, which stands before this text. Prints the names by which a case selects it, the largest
// difference between the sources and what the reactions make one by one, the same for the heat, and the shortest time scale.
#include <cstdio>

int main()
{
  using namespace Foam;
  fluidMulticomponentThermo thermo;
  thermo.mesh.cells = 3;
  auto field = [&](const word& name, scalar value) {
    return new volScalarField(IOobject(name, "", thermo.mesh, IOobject::NO_READ, IOobject::NO_WRITE), thermo.mesh,
      dimensionedScalar(dimMass, value));
  };
  // In another order than the mechanism's
  thermo.fractions = PtrList<volScalarField>(gas::species_count);
  for (int i = 0; i < gas::species_count; ++i) {
    const int k = gas::species_count - 1 - i;
    thermo.names.append(gas::species_name(k));
    thermo.weights.append(gas::molecular_weight(k));
    thermo.fractions.set(i, field(gas::species_name(k), 1.0/gas::species_count));
  }
  thermo.temperature.reset(field("T", 1500));
  thermo.given_pressure.reset(field("p", 101325));
  thermo.density = gas::density_by_mass(1500, 101325, std::vector<double>(gas::species_count, 1.0/gas::species_count).data(), 1);

  autoPtr<MODEL> model;
  for (const auto& one : MODEL::table()) {
    std::printf("%s\n", one.first.c_str());
    model.reset(one.second(thermo));
  }
  model->calculate();
  std::vector<double> made(model->nSpecie());
  double heat = 0, largest = 0, difference = 0;
  for (label r = 0; r < model->nReaction(); ++r) {
    const auto by = model->made_by(r);
    for (label i = 0; i < model->nSpecie(); ++i) made[i] += by[i][2];
#if FOAM == 14
    if (model->reactionName(r).empty() || !(std::abs(model->reactionRR(r)()[2]) >= 0)) return 1;
#endif
  }
  for (label i = 0; i < model->nSpecie(); ++i) {
    largest = std::max(largest, std::abs(made[i]));
    difference = std::max(difference, std::abs(made[i] - model->RR()[i][2]));
    heat -= thermo.hfiValue(i)*made[i];
  }
  std::printf("rates %.1e\n", difference/largest);
  std::printf("heat %.1e\n", std::abs(model->Qdot()()[2]/heat - 1));
  std::printf("time %.3e\n", model->tc()()[2]);
  const double step = model->solve(1e-9);
  double total = 0;
  for (label i = 0; i < model->nSpecie(); ++i) total += model->RR()[i][2];
  std::printf("solved %d %.1e\n", step > 0, std::abs(total)/largest);
}
