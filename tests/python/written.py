"""Cantera reads what `singe fmt` wrote, and computes the same from it as from the original.

Arguments: the original (Cantera YAML, or "-" where Cantera need not read it), the folder of the CHEMKIN files, and the YAML file. Prints the largest
relative differences of thermodynamics and rate constants from the YAML file: of the original, of the CHEMKIN files.
"""

import sys
from pathlib import Path

import cantera as ct
from cantera import ck2yaml

ct.suppress_thermo_warnings()


def converted(folder):
    """The CHEMKIN files of a folder as Cantera YAML, strictly converted."""
    folder = Path(folder)
    out = folder / "converted.yaml"
    transport = folder / "tran.dat"
    ck2yaml.convert(
        str(folder / "chem.inp"),
        thermo_file=str(folder / "therm.dat"),
        transport_file=str(transport) if transport.exists() else None,
        out_name=str(out),
        quiet=True,
    )
    return out


def numbers(file):
    gas = ct.Solution(str(file))
    low, high = gas.min_temp, gas.max_temp
    thermo, rates = [], []
    for share in (0.05, 0.3, 0.6, 0.95):
        for pressure in (1e4, 2e6):
            gas.TPX = low + share * (high - low), pressure, {name: 1 + k % 3 for k, name in enumerate(gas.species_names)}
            thermo += [gas.standard_cp_R, gas.standard_enthalpies_RT, gas.standard_entropies_R]
            if gas.n_reactions:
                rates += [gas.forward_rate_constants]
    return [(gas.species_names, gas.reaction_equations())], thermo, rates


def difference(one, other):
    worst = 0.0
    for a, b in zip(one, other, strict=True):
        scale = abs(b).max() * 1e-15 + abs(b)
        ratio = abs(a - b)[scale > 0] / scale[scale > 0]
        worst = max(worst, float(ratio.max(initial=0.0)))
    return worst


original, folder, yaml = sys.argv[1:]
_, thermo, rates = numbers(yaml)
for file in ([] if original == "-" else [original]) + [converted(folder)]:
    (names,), other_thermo, other_rates = numbers(file)
    print(f"{difference(other_thermo, thermo):.1e} {difference(other_rates, rates):.1e}")
