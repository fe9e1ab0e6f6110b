"""Errors of a compiled library against Cantera: LIBRARY MECHANISM.yaml"""
import ctypes
import sys

import cantera as ct
import numpy as np

library = ctypes.CDLL(sys.argv[1])
gas = ct.Solution(sys.argv[2])
species, count = gas.n_species, 70
random = np.random.default_rng(70)
t = np.linspace(300.0, 3000.0, count)
p = 101325.0 * 10.0 ** random.uniform(-1.0, 2.0, count)
x = random.dirichlet(np.full(species, 0.3), count).T.copy() + 1e-12
x /= x.sum(axis=0)


def launched(kernel, rows):
    """The output of a kernel, row by row, at all states."""
    out = np.full((rows, count), np.nan)
    context = ctypes.c_void_p()
    assert library.accuracy_context_create(ctypes.byref(context)) == 0
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (t, p, x, out)]
    launch = getattr(library, f"accuracy_{kernel}_launch")
    assert launch(context, *pointers, ctypes.c_int(count), ctypes.c_int(count), None) == 0
    return out


def of_cantera(quantity):
    columns = []
    for i in range(count):
        gas.TPX = t[i], p[i], x[:, i]
        columns.append(quantity())
    return np.array(columns).reshape(count, -1).T


def worst(found, expected, scale):
    scale = np.where(scale == 0.0, 1.0, scale)
    return np.max(np.abs(found - expected) / scale)


def thermodynamics():
    of_mass = lambda: [gas.cp_mass, gas.cv_mass, gas.enthalpy_mass, gas.int_energy_mass, gas.entropy_mass, gas.gibbs_mass]
    expected = of_cantera(lambda: [*of_mass(), gas.mean_molecular_weight, gas.density])
    unit = of_cantera(lambda: ct.gas_constant / gas.mean_molecular_weight * np.array([1, 1, gas.T, gas.T, 1, gas.T, 0, 0]))
    return worst(launched("thermodynamics", 8), expected, np.maximum(np.abs(expected), unit))


def chemistry():
    gross = of_cantera(lambda: gas.creation_rates + gas.destruction_rates)
    return worst(launched("chemistry", species), of_cantera(lambda: gas.net_production_rates), gross)


def transport(kernel, rows, quantity):
    expected = of_cantera(quantity)
    return worst(launched(kernel, rows), expected, np.abs(expected))


errors = [thermodynamics(), chemistry()]
if hasattr(library, "accuracy_viscosity_launch"):
    gas.transport_model = "mixture-averaged-CK"
    errors.append(transport("viscosity", 1, lambda: gas.viscosity))
    errors.append(transport("conductivity", 1, lambda: gas.thermal_conductivity))
    errors.append(transport("diffusion", species, lambda: gas.mix_diff_coeffs))
print(ct.__version__, *(f"{error:.1e}" for error in errors))
