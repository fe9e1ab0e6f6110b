import sys
import cantera as ct

gas = ct.Solution(sys.argv[1])
rise, until = 400.0, 100.0
print(ct.__version__)
for line in sys.stdin:
    temperature, pressure, *moles = line.split()
    gas.TPX = float(temperature), float(pressure), ", ".join(moles)
    reactor = ct.IdealGasReactor(gas)
    net = ct.ReactorNet([reactor])
    net.rtol, net.atol, net.max_steps = 1e-10, 1e-16, 1000000
    goal = float(temperature) + rise
    time, found = 0.0, reactor.T
    while reactor.T < goal and net.time < until:
        time, found = net.time, reactor.T
        net.step()
    part = (goal - found) / (reactor.T - found) if reactor.T >= goal else float("nan")
    print(repr(time + part * (net.time - time)))
