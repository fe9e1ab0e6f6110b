"""States along an ignition and their solutions after some times at tight tolerances, for mechanisms of many species; then, for each line
that is read, what Cantera takes for these times, with its preconditioner and with dense matrices.

    python3 large.py MECHANISM.yaml FUEL COUNT      prints a line of JSON, and one more for each turn
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
gas = ct.Solution(mechanism)


def reactor(is_preconditioned, relative, absolute):
    kind = ct.IdealGasConstPressureMoleReactor if is_preconditioned else ct.IdealGasConstPressureReactor
    made = kind(gas)
    net = ct.ReactorNet([made])
    net.rtol, net.atol, net.max_steps = relative, absolute, 1_000_000
    if is_preconditioned:
        net.preconditioner = ct.AdaptivePreconditioner()
    return made, net


def along_an_ignition():
    gas.TP = 1500.0, pressure
    gas.set_equivalence_ratio(1.0, fuel, "O2:1, N2:3.76")
    made, net = reactor(True, 1e-8, 1e-16)
    states, risen = [[gas.T, *gas.Y]], None
    while risen is None or net.time < 2.0 * risen:
        net.step()
        states.append([made.thermo.T, *made.thermo.Y])
        if risen is None and states[-1][0] > 2000.0:
            risen = net.time
    return [states[i] for i in np.linspace(0, len(states) - 1, count).round().astype(int)]


def advanced(states, seconds, relative, is_preconditioned):
    ends, steps = [], 0
    begin = time.process_time()
    for temperature, *fractions in states:
        gas.TPY = temperature, pressure, fractions
        made, net = reactor(is_preconditioned, relative, 1e-6 * relative)
        net.advance(seconds)
        steps += net.solver_stats["steps"]
        ends.append([made.thermo.T, *made.thermo.Y])
    return ends, time.process_time() - begin, steps / len(states)


def row(run, relative, is_preconditioned):
    # Dense matrices take seconds for a state: every sixth stands for all.
    every = 1 if is_preconditioned else 6
    ends, taken, steps = advanced(states[::every], run["seconds"], relative, is_preconditioned)
    wanted = np.array(run["exact"][::every])[:, 1:]
    errors = (np.array(ends)[:, 1:] - wanted) / (np.abs(wanted) + 1e-9)
    return [run["seconds"], relative, len(ends) / taken, steps, float(np.sqrt(np.mean(errors**2)))]


states = along_an_ignition()
runs = [{"seconds": s, "exact": advanced(states, s, 1e-11, True)[0]} for s in (1e-6, 1e-5, 1e-4)]
print(json.dumps({"version": ct.__version__, "pressure": pressure, "states": states, "runs": runs}), flush=True)
for _ in sys.stdin:
    for kind in (True, False):
        print(json.dumps([row(run, relative, kind) for run in runs for relative in (1e-4, 1e-6)]), flush=True)
