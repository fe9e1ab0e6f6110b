"""Random states at five pressures: ignitions, flames, quenched products and mixtures of anything; and where Cantera ends.

    python3 sweep.py MECHANISM.yaml FUEL COUNT      prints JSON, COUNT states for each pressure
"""

import json
import sys
import warnings

import cantera as ct
import numpy as np

warnings.simplefilter("ignore")
mechanism, fuel, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
random = np.random.default_rng(42)
gas = ct.Solution(mechanism)


def state(kind, pressure):
    gas.set_equivalence_ratio(10 ** random.uniform(-1, 1), fuel, "O2:1, N2:3.76")
    gas.TP = random.uniform(300, 700), pressure
    fresh_enthalpy, fresh = gas.h, gas.Y.copy()
    if kind == "ignition":
        gas.TP = random.uniform(900, 2500), pressure
    elif kind == "mixing":
        gas.TPX = random.uniform(300, 2500), pressure, random.dirichlet(np.full(gas.n_species, 0.2))
    else:
        gas.equilibrate("HP")
        burnt_enthalpy, burnt, share = gas.h, gas.Y.copy(), random.uniform()
        if kind == "flame":
            gas.HPY = fresh_enthalpy + share * (burnt_enthalpy - fresh_enthalpy), pressure, fresh + share * (burnt - fresh)
        else:
            gas.TPY = random.uniform(400, 1200), pressure, burnt
    return [gas.T, *gas.Y]


def advanced(states, pressure, seconds):
    ends, failed = [], 0
    for temperature, *fractions in states:
        gas.TPY = temperature, pressure, fractions
        net = ct.ReactorNet([ct.IdealGasConstPressureReactor(gas)])
        net.rtol, net.atol, net.max_steps = 1e-6, 1e-12, 100_000
        try:
            net.advance(seconds)
        except ct.CanteraError:
            failed += 1
        ends.append([gas.T, *gas.Y])
    return {"seconds": seconds, "exact": ends, "failed": failed}


kinds = ["ignition", "flame", "extinction", "mixing"]
batches = []
for atmospheres in (0.1, 1, 10, 40, 100):
    pressure = atmospheres * ct.one_atm
    states = [state(kinds[i % 4], pressure) for i in range(count)]
    batches.append({"pressure": pressure, "states": states, "runs": [advanced(states, pressure, s) for s in (1e-6, 1e-4)]})
print(json.dumps(batches))
