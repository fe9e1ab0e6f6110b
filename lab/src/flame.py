"""Flame speeds and ignition delays of hydrogen in air by Cantera, with our rates and transport in double, single and mixed precision.

    flame.py MECHANISM.yaml FOLDER        prints three tables; the folder has the C++ of the kernels, flame.cpp and flame_pairs.cpp
"""

import sys
import tempfile
from pathlib import Path

import cantera as ct
import numpy as np

import singe
import singe.cantera as acceleration
from singe._library import library

ct.suppress_thermo_warnings()
text, made = Path(sys.argv[1]).read_text(encoding="utf-8"), Path(sys.argv[2])
MIXTURE = "H2:2, O2:1, N2:3.76"
KINETICS = "kinetics: gas"
assert text.count(KINETICS) == 1, "one phase, which names its kinetics"


def built():
    with tempfile.TemporaryDirectory() as scratch:
        try:
            headers = acceleration._headers(acceleration._folders(None), Path(scratch))
        except singe.Error as error:
            raise SystemExit(f"Cantera's C++ headers are absent: {error}") from None
        # Pairs of floats need sums and products as they are spelt.
        options = ["-ffp-contract=off", "-DNDEBUG", "-DFMT_HEADER_ONLY", "-DEIGEN_MAX_ALIGN_BYTES=16", ct._cantera.__file__]
        return library(sorted(made.glob("*.cpp")), made, False, [*headers, *options])


classes = built()
classes.flame_register()
for count in (classes.flame_calls_of_rates, classes.flame_calls_of_transport):
    count.restype = np.ctypeslib.ctypes.c_longlong


def gas_with(rates, transport):
    """Cantera's own where the precision is None."""
    named = f"kinetics: rates-{rates}" if rates else KINETICS
    gas = ct.Solution(yaml=text.replace(KINETICS, named))
    gas.transport_model = f"transport-{transport}" if transport else "mixture-averaged-CK"
    return gas


def calls():
    return classes.flame_calls_of_rates(), classes.flame_calls_of_transport()


def flame(rates, transport, start=None):
    """A flame that is solved on a grid of its own, or from the solution of another one on the grid of that."""
    gas = gas_with(rates, transport)
    gas.TPX = 300, ct.one_atm, MIXTURE
    one = ct.FreeFlame(gas, width=0.03)
    one.set_refine_criteria(ratio=3, slope=0.05, curve=0.1)
    if start is not None:
        one.set_initial_guess(data=start)
    one.flame.set_steady_tolerances(default=(1e-7, 1e-13))
    # What singles round keeps Newton's method from its end for long.
    one.max_time_step_count = 5000
    before = calls()
    one.solve(loglevel=0, refine_grid=start is None, auto=start is None)
    # A flame that calls Cantera's functions in place of ours has no place in the table.
    for precision, first, last in zip((rates, transport), before, calls()):
        assert (last > first) == (precision is not None), (rates, transport, before, calls())
    return one


def relative(value, other):
    return f"{value / other - 1:+.1e}"


def flames():
    pairs = [(rates, transport) for transport in ("double", "mixed", "single") for rates in ("double", "single")]
    theirs = flame(None, None)
    start = theirs.to_array()
    ours = [flame(*precisions, start) for precisions in pairs]
    assert all(np.array_equal(one.grid, theirs.grid) for one in ours), "flames have one grid"
    exact = ours[0]
    alone = [theirs, *(flame(*precisions) for precisions in pairs)]
    print("| rates | transport | speed (m/s) | beside double | greatest T (K) | T anywhere, apart (K) | on its own grid (m/s) | points |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    names = [("Cantera's", "Cantera's"), *pairs]
    for (rates, transport), one, other in zip(names, [theirs, *ours], alone):
        speed, apart = one.velocity[0], np.max(np.abs(one.T - exact.T))
        beside = "" if one is exact else relative(speed, exact.velocity[0])
        print(
            f"| {rates} | {transport} | {speed:.7f} | {beside} | {np.max(one.T):.4f} | {apart:.1e} | "
            f"{other.velocity[0]:.7f} | {len(other.grid)} |"
        )
    return list(zip(theirs.T, np.maximum(theirs.X, 0.0).T))


# What was asked for of the kernels, which is proven for transport.
ALLOWED = {"double": 1e-10, "mixed": 1e-6, "single": 1e-4}


def values(gas):
    gross = gas.creation_rates + gas.destruction_rates + 1e-20
    return {
        "chemistry": (gas.net_production_rates, gross),
        "viscosity": (gas.viscosity, gas.viscosity),
        "conductivity": (gas.thermal_conductivity, gas.thermal_conductivity),
        "diffusion": (gas.mix_diff_coeffs, gas.mix_diff_coeffs),
    }


def errors(states):
    """The largest error of each kernel beside Cantera's functions at the points of a flame, relative; that of rates to gross rates."""
    print("| arithmetic | chemistry | viscosity | conductivity | diffusion |")
    print("|---|---:|---:|---:|---:|")
    own = gas_with(None, None)
    for precision, allowed in ALLOWED.items():
        ours = gas_with(None if precision == "mixed" else precision, precision)
        largest = dict.fromkeys(("chemistry", "viscosity", "conductivity", "diffusion"), 0.0)
        for temperature, fractions in states:
            own.TPX = ours.TPX = temperature, ct.one_atm, fractions
            theirs = values(own)
            for name, (value, _) in values(ours).items():
                error = np.max(np.abs(value - theirs[name][0]) / theirs[name][1])
                assert error <= allowed, (precision, name, error, temperature)
                largest[name] = max(largest[name], error)
        cells = {name: "" if (precision, name) == ("mixed", "chemistry") else f"{error:.1e}" for name, error in largest.items()}
        print(f"| {precision} | {' | '.join(cells.values())} |")


def network_of(gas, temperature, pressure):
    gas.TPX = temperature, pressure, MIXTURE
    reactor = ct.IdealGasConstPressureReactor(gas, clone=False)
    network = ct.ReactorNet([reactor])
    network.rtol, network.atol, network.max_steps = 1e-9, 1e-16, 10**6
    return reactor, network


def delay(rates, temperature, pressure):
    """When the temperature has risen by 400 K. The step in which it does is found first, and gone through again in small parts."""
    gas, goal = gas_with(rates, None), temperature + 400
    reactor, network = network_of(gas, temperature, pressure)
    start = 0.0
    while True:
        end = network.step()
        if reactor.T >= goal:
            break
        start = end
    reactor, network = network_of(gas, temperature, pressure)
    times = np.linspace(start, end, 201)
    temperatures = []
    for time in times:
        network.advance(time)
        temperatures.append(reactor.T)
    return np.interp(goal, temperatures, times)


def ignitions():
    print("| T (K) | p (atm) | Cantera's rates (us) | double (us) | beside Cantera's | single (us) | beside double |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for temperature, atmospheres in ((1000, 1), (1200, 10), (1500, 1)):
        theirs, double, single = (delay(rates, temperature, atmospheres * ct.one_atm) for rates in (None, "double", "single"))
        print(
            f"| {temperature} | {atmospheres} | {1e6 * theirs:.6f} | {1e6 * double:.6f} | {relative(double, theirs)} | {1e6 * single:.6f} | "
            f"{relative(single, double)} |"
        )


states = flames()
print()
errors(states)
print()
ignitions()
