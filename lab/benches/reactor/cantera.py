"""States along an ignition and their solutions after some times at tight tolerances; then, for each line that is read, what Cantera takes
for these times at other tolerances.

    python3 cantera.py MECHANISM.yaml FUEL COUNT      prints a line of JSON, and one more for each turn
"""

import json
import sys
import time
import warnings

import cantera as ct
import numpy as np

warnings.simplefilter("ignore")
mechanism, fuel, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
pressure = ct.one_atm


def reactor(gas):
    made = ct.IdealGasConstPressureReactor(gas)
    return made, ct.ReactorNet([made])


def state(gas):
    return [gas.T, *gas.Y]


def along_an_ignition():
    gas = ct.Solution(mechanism)
    gas.TP = 1500.0, pressure
    gas.set_equivalence_ratio(1.0, fuel, "O2:1, N2:3.76")
    _, net = reactor(gas)
    net.rtol, net.atol = 1e-9, 1e-15
    times, states = [0.0], [state(gas)]
    while times[-1] < 1.0:
        times.append(net.step())
        states.append(state(gas))
        hottest = max(s[0] for s in states)
        rise = [s[0] for s in states].index(next(s[0] for s in states if s[0] >= 0.5 * (1500.0 + hottest)))
        if hottest > 2000.0 and times[-1] > 2.0 * times[rise]:
            break
    chosen = np.linspace(0, len(states) - 1, count).round().astype(int)
    return [states[i] for i in chosen]


def advanced(states, seconds, relative, absolute):
    gas = ct.Solution(mechanism)
    ends, steps = [], 0
    begin = time.process_time()
    for temperature, *fractions in states:
        gas.TPY = temperature, pressure, fractions
        _, net = reactor(gas)
        net.rtol, net.atol, net.max_steps = relative, absolute, 1_000_000
        net.advance(seconds)
        steps += net.solver_stats["steps"]
        ends.append(state(gas))
    return ends, time.process_time() - begin, steps / len(states)


def row(run, relative):
    ends, taken, steps = advanced(states, run["seconds"], relative, 1e-6 * relative)
    wanted = np.array(run["exact"])[:, 1:]
    errors = (np.array(ends)[:, 1:] - wanted) / (np.abs(wanted) + 1e-9)
    return [run["seconds"], relative, len(states) / taken, steps, float(np.sqrt(np.mean(errors**2)))]


states = along_an_ignition()
runs = [{"seconds": s, "exact": advanced(states, s, 1e-12, 1e-18)[0]} for s in (1e-7, 1e-6, 1e-5, 1e-4)]
print(json.dumps({"version": ct.__version__, "pressure": pressure, "states": states, "runs": runs}), flush=True)
for _ in sys.stdin:
    print(json.dumps([row(run, relative) for run in runs for relative in (1e-4, 1e-6, 1e-8)]), flush=True)
