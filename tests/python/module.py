"""Uses the Python module: the command's reports, its diagnostics, and kernels on NumPy arrays beside Cantera's values.

    python3 tests/python/module.py FOLDER      FOLDER is the project's; prints what it saw
"""

import gzip
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

import singe

root = Path(sys.argv[1])
mechanism = root / "mechanisms/h2o2/chem.inp"

with tempfile.TemporaryDirectory() as folder:
    made = singe.compile(
        mechanism, output=folder, target="hopper", kernel=["viscosity"], warps=4, compilers="off", verify=4, emit="cuda,report"
    )
    assert made.report["kernels"][0]["verdict"].startswith("proven, verified"), made.report
    assert (made.folder / "h2o2_viscosity.cu").is_file()
    assert singe.check(mechanism) == []
    wrong = Path(folder) / "wrong.inp"
    wrong.write_text("ELEMENTS\nH\nEND\nSPECIES\nH2\nEND\nREACTIONS\nH2=>H3 1 0 0\nEND\n")
    assert any("H3" in one["message"] for one in singe.check(wrong)), singe.check(wrong)
    try:
        singe.compile(mechanism, output=folder, warps=99)
        raise SystemExit("99 warps were taken")
    except singe.Error as error:
        assert error.exit_code == 2 and "99" in str(error), error

gas = singe.load(mechanism, kernel=["viscosity", "conductivity", "diffusion", "chemistry"], form="pairwise")
with gzip.open(root / "tests/data/h2o2.json.gz") as file:
    expected = json.load(file)
assert gas.species == expected["species"], gas.species
states = expected["states"]
T, P = (np.array([state[name] for state in states]) for name in ("T", "P"))
X = np.array([state["X"] for state in states]).T
worst = {}


def compare(name, values, wanted, scale):
    worst[name] = float(np.max(np.abs(values - wanted) / scale))
    assert worst[name] < 1e-9, (name, worst[name])


wanted = np.array([state["visc"] for state in states])
compare("viscosity", gas.viscosity(temperature=T, mole_fractions=X, pressure=P), wanted, wanted)
wanted = np.array([state["cond"] for state in states])
compare("conductivity", gas.conductivity(T, P, X), wanted, wanted)
wanted, scale = (np.array([state[name] for state in states]).T for name in ("wdot", "gross"))
compare("chemistry", gas.chemistry(T, P, X), wanted, np.where(scale > 0, scale, 1))

# A number stands for all points, a composition too; arrays need not be contiguous.
one = gas.viscosity(temperature=T[0], pressure=P[0], mole_fractions=X[:, 0])
assert one.shape == (1,) and one[0] == gas.viscosity(T, P, X)[0]
many = gas.diffusion(np.linspace(300, 2000, 1000)[::-1], 101325.0, X[:, 0])
assert many.shape == (len(gas.species), 1000) and np.all(np.isfinite(many))
for arguments in [(T, P, X[:3]), (T[:2], P, X), (T, P)]:
    try:
        gas.viscosity(*arguments)
        raise SystemExit("wrong shapes were taken")
    except (TypeError, ValueError):
        pass
# Reactors: hydrogen burns, all elements of it stay, and going on from the middle ends at the same state within tolerances.
reactors = singe.load(sys.argv[1] + "/mechanisms/h2o2/chem.inp", kernel="reactor")
Y = np.zeros((len(reactors.species), 3))
for name, fraction in {"H2": 0.0285, "O2": 0.2264, "N2": 0.7451}.items():
    Y[reactors.species.index(name)] = fraction
T = np.array([1200.0, 1300.0, 99.0])
whole = reactors.advance(T, 101325.0, Y, 1e-3)
assert list(whole.status) == [0, 0, 3] and list(whole.steps > 10) == [True, True, False], whole
assert np.all(whole.temperature[:2] > 2400.0) and whole.temperature[2] == 99.0
assert np.allclose(whole.mass_fractions.sum(axis=0), 1.0, rtol=0, atol=1e-12)
half = reactors.advance(T[:2], 101325.0, Y[:, :2], 5e-4)
half = reactors.advance(half.temperature, 101325.0, half.mass_fractions, 5e-4, step=half.step)
assert np.allclose(half.temperature, whole.temperature[:2], rtol=1e-5)
# What reactions change is what changes, less what sources bring; a bar is shown, and the numbers stay.
sources = np.zeros_like(Y[:, :2])
sources[0], sources[-1] = 1e-2, -1e-2
brought = reactors.advance(T[:2], 101325.0, Y[:, :2], 1e-3, species_sources=sources, energy_source=1e5, absolute_tolerance=np.full(len(Y), 1e-13), progress=True)
assert np.allclose((brought.mass_fractions - Y[:, :2]) / 1e-3, brought.mean_rates + sources, rtol=1e-12, atol=1e-12)
assert np.all(brought.temperature > whole.temperature[:2]) and np.all(brought.heat_release > 1e8) and brought.energy is None
alone = reactors.advance(T[:2], 101325.0, Y[:, :2], 1e-3, progress=True)
assert np.array_equal(alone.mass_fractions, whole.mass_fractions[:, :2])
told = singe.load(sys.argv[1] + "/mechanisms/h2o2/chem.inp", kernel="reactor", state="HPY")
enthalpy = told.advance([-1e5, 2e6, 1e12], 101325.0, Y[:, :1], [0.0, 1e-3, 1e-3], energy_source=1e6)
assert list(enthalpy.status) == [0, 0, 3] and list(enthalpy.energy) == [-1e5, 2e6 + 1e3, 1e12], enthalpy
assert 150.0 < enthalpy.temperature[0] < 300.0 and enthalpy.temperature[1] > 2400.0 and np.isnan(enthalpy.temperature[2])
for wrong in [lambda: gas.advance(T, 101325.0, Y, 1e-3), lambda: reactors.advance(T, 101325.0, Y[:3], 1e-3)]:
    try:
        wrong()
        raise SystemExit("a wrong call was taken")
    except (TypeError, ValueError):
        pass
print(repr(gas), "largest errors beside Cantera's values:", ", ".join(f"{name} {error:.1e}" for name, error in worst.items()))
