"""How long hydrogen takes to ignite, and what the burnt gas is like.

    python3 python/examples/ignition.py mechanisms/h2o2/chem.inp

Prints a table; where Matplotlib is installed, ignition.png shows the same.
"""

import sys

import numpy as np

import singe

mechanism = sys.argv[1] if len(sys.argv) > 1 else "mechanisms/h2o2/chem.inp"
pressure = 101325.0  # Pa
start = np.linspace(1000.0, 1350.0, 8)  # K
mixture = "H2:2, O2:1, N2:3.76"  # moles

# Reactors, advanced in time at constant pressure, all temperatures at once.
reactors = singe.load(mechanism, kernel="reactor")
Y = np.repeat(reactors.mass_fractions(mixture)[:, np.newaxis], start.size, axis=1)
T, step, delay, steepest = start.copy(), None, np.zeros(start.size), np.zeros(start.size)
dt = 2e-6
for turn in range(1, 501):
    after = reactors.advance(T, pressure, Y, dt, step=step)
    rise = (after.temperature - T) / dt
    # Ignition is where the temperature rises fastest.
    delay = np.where(rise > steepest, (turn - 0.5) * dt, delay)
    steepest = np.maximum(rise, steepest)
    T, Y, step = after.temperature, after.mass_fractions, after.step

# Transport of what is left, for the same points.
gas = singe.load(mechanism, kernel=["viscosity", "conductivity"])
X = gas.mole_fractions(Y)
viscosity, conductivity = gas.viscosity(T, pressure, X), gas.conductivity(T, pressure, X)

print("   T (K)  delay (us)  T burnt (K)  H2O (mol/mol)  viscosity (Pa s)  conductivity (W/m/K)")
for point in range(start.size):
    row = (start[point], 1e6 * delay[point], T[point], X[gas.index("H2O"), point], viscosity[point], conductivity[point])
    print("%8.1f  %10.0f  %11.1f  %13.4f  %16.3e  %20.4f" % row)

try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit()
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
axes.semilogy(1000.0 / start, 1e6 * delay, "o-")
axes.set(xlabel="1000 K / T", ylabel="ignition delay (µs)", title=f"{mixture} at {pressure / 1e5:.2f} bar")
figure.savefig("ignition.png", dpi=150)
