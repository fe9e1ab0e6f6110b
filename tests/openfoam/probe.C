// Asks the chemistry model of a case what it says of a hot mixture of all species, in a mesh of one cell.

#include "BasicChemistryModel.H"
#include "basicSpecieMixture.H"
#include "fvCFD.H"
#include "hexCellFvMesh.H"
#include "psiReactionThermo.H"

#include <iostream>

int main(int argc, char *argv[])
{
  argList::noParallel();
#include "setRootCase.H"
#include "createTime.H"
  simplifiedMeshes::hexCellFvMesh mesh(runTime);
  const auto write = [&](const char *name, const dimensionSet& dimensions, scalar value) {
    volScalarField(IOobject(name, runTime.timeName(), mesh), mesh, dimensionedScalar(name, dimensions, value)).write();
  };
  const scalar pressure = 2e5, temperature = 1400;
  write("T", dimTemperature, temperature);
  write("p", dimPressure, pressure);
  write("Ydefault", dimless, 1);
  autoPtr<psiReactionThermo> thermo(psiReactionThermo::New(mesh));
  autoPtr<BasicChemistryModel<psiReactionThermo>> chemistry(BasicChemistryModel<psiReactionThermo>::New(thermo()));
  basicSpecieMixture& gas = thermo().composition();
  scalar sum = 0, enthalpy = 0;
  forAll(gas.Y(), i) sum += 1 + i;
  forAll(gas.Y(), i) {
    gas.Y()[i] == (1 + i)/sum;
    enthalpy += (1 + i)/sum*gas.HE(i, pressure, temperature);
  }
  thermo().he() = dimensionedScalar("h", dimEnergy/dimMass, enthalpy);
  thermo().correct();

  std::cout.precision(17);
  std::cout << "T " << thermo().T()[0] << "\n";
  chemistry().calculate();
  forAll(gas.Y(), i) std::cout << "RR_" << gas.Y()[i].name() << " " << chemistry().RR(i)[0] << "\n";
  std::cout << "Qdot " << chemistry().Qdot()()[0] << "\n";
  std::cout << "tc " << chemistry().tc()()[0] << "\n";
  for (label r = 0; r < chemistry().nReaction(); ++r) {
    std::cout << "reaction_" << r << " " << chemistry().calculateRR(r, 3)()[0] << "\n";
  }
}
