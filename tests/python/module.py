"""Uses the Python module: the command's reports, its diagnostics, and kernels on NumPy arrays beside Cantera's values.

    python3 tests/python/module.py FOLDER      FOLDER is the project's; prints what it saw
"""

import gzip
import json
import os
import sys
import tempfile
import time
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
    try:
        singe.compile(mechanism, output=folder, kernl="viscosity")
        raise SystemExit("a flag that is none was taken")
    except singe.Error as error:
        assert "help: a similar argument exists: '--kernel'" in str(error) and "Usage" not in str(error), error

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
assert one.shape == () and isinstance(one, np.float64) and one == gas.viscosity(T, P, X)[0]
assert gas.diffusion(T[0], P[0], X[:, 0]).shape == (len(gas.species),)
assert gas.viscosity(T[:1], P[0], X[:, 0]).shape == (1,)
many = gas.diffusion(np.linspace(300, 2000, 1000)[::-1], 101325.0, X[:, 0])
assert many.shape == (len(gas.species), 1000) and np.all(np.isfinite(many))
for arguments in [(T, P, X[:3]), (T[:2], P, X), (T, P)]:
    try:
        gas.viscosity(*arguments)
        raise SystemExit("wrong shapes were taken")
    except (TypeError, ValueError):
        pass
# As many points as species: which axis is which is told, or the array is refused.
square = X[:, : len(gas.species)]
points = (T[: len(gas.species)], P[: len(gas.species)])


def message(call, kind):
    try:
        call()
    except kind as error:
        return str(error)
    raise SystemExit("a wrong call was taken")


assert "species_axis=0 or -1" in message(lambda: gas.chemistry(*points, square), ValueError)
assert "species_axis=0 or -1" in message(lambda: gas.mass_fractions(square), ValueError)
assert "species_axis=-1 for (…, 10)" in message(lambda: gas.viscosity(T, P, X.T), ValueError)
assert "temperature is 'hot': give a number" in message(lambda: gas.viscosity("hot", P, X), TypeError)
assert "pressure is None" in message(lambda: gas.viscosity(T, None, X), TypeError)
first = singe.load(mechanism, kernel=["viscosity", "conductivity", "diffusion", "chemistry"], form="pairwise", species_axis=0, target="cpu")
assert np.array_equal(first.chemistry(*points, square), gas.chemistry(T, P, X)[:, : len(gas.species)])
assert gas.viscosity(np.full(10, 300.0), 101325.0, {"H2": np.linspace(0.1, 2, 10), "O2": 1.0}).shape == (10,)
assert "compile(…, target=\"hopper\")" in message(lambda: singe.load(mechanism, target="hopper"), ValueError)
assert "decides which files" in message(lambda: singe.load(mechanism, emit="ptx"), ValueError)
# Points have any shape, compositions may be named, and species may come last.
grid = np.linspace(300, 2000, 24).reshape(2, 3, 4)
flat = gas.diffusion(grid.ravel(), 101325.0, X[:, 0])
assert np.array_equal(gas.diffusion(grid, 101325.0, X[:, 0]), flat.reshape(-1, 2, 3, 4))
named = {"O2": 1.0, "h2": 2.0, "N2": 3.76}
by_name = gas.fractions(named)
assert np.array_equal(by_name, gas.fractions("H2:2, O2:1, N2:3.76")) and abs(by_name.sum() - 1.0) < 1e-15
assert np.array_equal(gas.viscosity(grid, 101325.0, named), gas.viscosity(grid, 101325.0, by_name))
varied = gas.fractions({"H2": np.linspace(0.1, 2, 4), "O2": 1.0})
assert gas.conductivity(grid, 101325.0, varied).shape == grid.shape and varied.shape == (len(gas.species), 4)
assert gas.index("O2") == gas.species.index("O2") and abs(gas.molecular_weights[gas.index("O2")] - 31.998) < 1e-2
assert np.allclose(gas.mole_fractions(gas.mass_fractions(X)), X, rtol=1e-13, atol=1e-15)
assert np.allclose(gas.mass_fractions(by_name) @ (1 / gas.molecular_weights), 1 / (by_name @ gas.molecular_weights))
last = singe.load(mechanism, kernel=["viscosity", "conductivity", "diffusion", "chemistry"], form="pairwise", species_axis=-1)
assert np.array_equal(last.chemistry(*points, square.T), first.chemistry(*points, square).T)
rates = last.chemistry(grid, 101325.0, np.broadcast_to(by_name, (2, 3, 4, by_name.size)))
assert rates.shape == (2, 3, 4, by_name.size) and np.array_equal(np.moveaxis(rates, -1, 0), gas.chemistry(grid, 101325.0, named))
for wrong, kind in [
    (lambda: gas.index("O3"), KeyError),
    (lambda: gas.viscosity(T, P, {"O3": 1.0}), KeyError),
    (lambda: gas.fractions("H2=2"), ValueError),
    (lambda: gas.fractions({"H2": -1.0, "O2": 2.0}), ValueError),
    (lambda: gas.viscosity(grid, P[:2], named), ValueError),
    (lambda: gas.isobaric, AttributeError),
]:
    try:
        wrong()
        raise SystemExit("a wrong call was taken")
    except kind:
        pass
# What was loaded before is loaded in a moment, and a broken library is built anew.
cache = Path(os.environ["SINGE_CACHE"])
kept = {path: path.stat().st_ino for path in cache.glob("*.so")}
assert len(kept) == 1, kept
begun = time.monotonic()
again = singe.load(mechanism, kernel=["viscosity", "conductivity", "diffusion", "chemistry"], form="pairwise")
print(f"loaded again in {time.monotonic() - begun:.2f} s", file=sys.stderr)
assert {path: path.stat().st_ino for path in cache.glob("*.so")} == kept, "it was built again"
assert np.array_equal(again.viscosity(T, P, X), gas.viscosity(T, P, X))
(path,) = kept
whole = path.with_suffix(".sha256").read_text()
path.with_suffix(".sha256").write_text("0" * 64)
again = singe.load(mechanism, kernel=["viscosity", "conductivity", "diffusion", "chemistry"], form="pairwise")
assert path.stat().st_ino != kept[path], "what does not fit its digest is built anew"
assert np.array_equal(again.chemistry(T, P, X), gas.chemistry(T, P, X))
# So is one that another user may have put there.
for path in cache.glob("*.so"):
    for mode in (0o622, 0o600):
        path.chmod(mode)
        before = path.stat().st_ino
        singe.load(mechanism, kernel=["viscosity", "conductivity", "diffusion", "chemistry"], form="pairwise")
        assert (path.stat().st_ino == before) == (mode == 0o600), f"{mode:o}"
os.environ["CXX"] = "no-such-compiler"
try:
    singe.load(mechanism, kernel=["viscosity"])
    raise SystemExit("a compiler was found")
except singe.Error as error:
    assert "no-such-compiler" in str(error)
del os.environ["CXX"]
# Of a folder that is used again only what the last run wrote is built: an earlier run's reactor may know another gas.
with tempfile.TemporaryDirectory() as folder:
    before = singe.load(mechanism, kernel="reactor", output=folder)
    after = singe.load(mechanism, kernel="viscosity", output=folder)
    assert (Path(folder) / "h2o2_reactor.cpp").exists(), "it stays, for nobody asked to clean"
    has_reactor = [hasattr(gas._library, "h2o2_reactor_advance") for gas in (before, after)]
    assert has_reactor == [True, False], has_reactor
with tempfile.TemporaryDirectory() as folder:
    wrong = Path(folder) / "wrong.inp"
    wrong.write_text("ELEMENTS\nH\nEND\nSPECIES\nH2\nEND\nREACTIONS\nH2=>H3 1 0 0\nEND\n")
    try:
        singe.compile(wrong)
        raise SystemExit("H3 was taken")
    except singe.Error as error:
        assert "wrong.inp:8:" in str(error) and "H3" in str(error), error
# A set has a state of its own, here that of the same points with a density.
both = singe.load(mechanism, kernel="chemistry", form="pairwise", set={"rho": "chemistry:TRX:production-rates,heat-release-rate"})
weights = both.molecular_weights[:, None]
density = P * np.sum(X * weights, axis=0) / (np.sum(X, axis=0) * 8314.46261815324 * T)
assert list(both.kernels) == ["chemistry", "rho-chemistry"], both.kernels
compare("rho-chemistry", both.rho_chemistry(T, density, X)[: len(gas.species)], wanted, np.where(scale > 0, scale, 1))

# Reactors: hydrogen burns, all elements of it stay, and going on from the middle ends at the same state within tolerances.
reactors = singe.load(sys.argv[1] + "/mechanisms/h2o2/chem.inp", kernel="reactor")
Y = np.zeros((len(reactors.species), 3))
for name, fraction in {"H2": 0.0285, "O2": 0.2264, "N2": 0.7451}.items():
    Y[reactors.species.index(name)] = fraction
T = np.array([1200.0, 1300.0, 99.0])
try:
    reactors.advance(T, 101325.0, Y, 1e-3)
    raise SystemExit("a state that is none was advanced")
except singe.AdvanceError as error:
    assert "1 of 3 reactors are not done; point 2 has status 3: its input is no state" in str(error), error
    failed = error.result
whole = reactors.advance(T, 101325.0, Y, 1e-3, on_failure="return")
assert np.array_equal(failed.temperature, whole.temperature)
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
enthalpy = told.advance([-1e5, 2e6, 1e12], 101325.0, Y[:, :1], [0.0, 1e-3, 1e-3], energy_source=1e6, on_failure="return")
assert list(enthalpy.status) == [0, 0, 3] and list(enthalpy.energy) == [-1e5, 2e6 + 1e3, 1e12], enthalpy
assert 150.0 < enthalpy.temperature[0] < 300.0 and enthalpy.temperature[1] > 2400.0 and np.isnan(enthalpy.temperature[2])
# Points of any shape, species first or last, in part from a composition by name: each reactor ends as it does alone.
grid = np.array([[1200.0, 1250.0, 1300.0], [1350.0, 1400.0, 1450.0]])
pressures = np.array([[101325.0], [202650.0]])
burnt = reactors.advance(grid, pressures, Y[:, :1, None], 1e-4, energy_source=np.full((2, 3), 1e5))
assert burnt.temperature.shape == burnt.status.shape == (2, 3) and burnt.mass_fractions.shape == (len(Y), 2, 3), burnt
lasting = singe.load(sys.argv[1] + "/mechanisms/h2o2/chem.inp", kernel="reactor", species_axis=-1)
last = lasting.advance(grid, pressures, Y[:, 0], 1e-4, energy_source=1e5)
assert last.mass_fractions.shape == last.mean_rates.shape == (2, 3, len(Y))
assert np.array_equal(np.moveaxis(last.mass_fractions, -1, 0), burnt.mass_fractions)
for i, j in np.ndindex(2, 3):
    alone = reactors.advance(grid[i, j], pressures[i, 0], Y[:, 0], 1e-4, energy_source=1e5)
    assert alone.temperature == burnt.temperature[i, j] and np.array_equal(alone.mass_fractions, burnt.mass_fractions[:, i, j])
named = reactors.advance(1200.0, 101325.0, {"H2": 2, "O2": 1}, 1e-4)
assert named.status == 0 and named.temperature.shape == ()
for wrong in [lambda: reactors.advance(grid, T[:2], Y[:, 0], 1e-3), lambda: gas.advance(T, 101325.0, Y, 1e-3), lambda: reactors.advance(T, 101325.0, Y[:3], 1e-3)]:
    try:
        wrong()
        raise SystemExit("a wrong call was taken")
    except (TypeError, ValueError):
        pass
# Arrays of floats: what is given is rounded, and what comes back is what the kernel made.
narrow = singe.load(mechanism, kernel=["viscosity", "diffusion"], precision="single", io="single")
T, P = (np.array([state[name] for state in states]) for name in ("T", "P"))
for name in ("viscosity", "diffusion"):
    found, wanted = getattr(narrow, name)(T, P, X), getattr(gas, name)(T, P, X)
    assert found.dtype == np.float32 and found.shape == wanted.shape, (name, found.dtype)
    assert np.max(np.abs(found / wanted - 1)) < 1e-4, name
print(repr(gas), "largest errors beside Cantera's values:", ", ".join(f"{name} {error:.1e}" for name, error in worst.items()))
