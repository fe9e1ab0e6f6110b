"""Writes the reference values of the shipped mechanisms; README.md beside this file describes them.

Needs Cantera 3.2.0 and NumPy. Rate constants, thermodynamics and transport come from Cantera; quasi-steady species and
stiffness from the functions below, which follow the papers and share nothing with the compiler.
"""

import gzip
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import cantera as ct
import numpy as np

HERE = Path(__file__).resolve().parent
MECHANISMS = HERE.parent.parent / "mechanisms"
# Files of the tests alone: nobody's chemistry.
OWN = {"forms": HERE / "forms"}
BAR = 1e5
FUEL = {"h2o2": "H2:2, O2:1, N2:3.76", "methane": "CH4:1, O2:2, N2:7.52", "gri30": "CH4:1, O2:2, N2:7.52", "ammonia": "NH3:4, O2:3, N2:11.28", "forms": "CO:1, H2:1, O2:1, N2:3.76"}
PERTURBATION = 1e-10


def main():
    """All of them, or those that are named."""
    asked = sys.argv[1:]
    for name, full in [("h2o2", True), ("methane", False), ("gri30", False), ("ammonia", False), ("forms", True)]:
        if not asked or name in asked:
            gas = read(name)
            listed = [evaluated(gas, *state, full) for state in states(name, gas)]
            write(name, {**described(gas), "fits": fits(gas), "states": listed})
    if not asked or "methane_reduced" in asked:
        gas = read("methane")
        write("methane_reduced", reduced(gas, *lists("methane")))


def read(name):
    """The mechanism as Cantera's converter reads it, with transport fits as CHEMKIN's: cubic in ln T."""
    folder = OWN.get(name, MECHANISMS / name)
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "mechanism.yaml"
        parts = {"input": "chem.inp", "thermo": "therm.dat", "transport": "tran.dat"}
        files = [f"--{part}={folder / file}" for part, file in parts.items()]
        subprocess.run([sys.executable, "-m", "cantera.ck2yaml", *files, f"--output={out}", "--quiet"], check=True)
        return ct.Solution(str(out), transport_model="mixture-averaged-CK")


def described(gas):
    return {
        "made_with": f"Cantera {ct.__version__}",
        "species": gas.species_names,
        "mw": list(gas.molecular_weights),
        "reactions": [gas.reaction(i).equation for i, _ in directions(gas)],
    }


def fits(gas):
    """Ascending coefficients of ln(property) in ln T: Pa s, W/m/K, Pa m2/s (upper triangle, row-major)."""
    species = range(gas.n_species)
    return {
        "Tmin": gas.min_temp,
        "Tmax": gas.max_temp,
        "visc": [list(gas.get_viscosity_polynomial(k)) for k in species],
        "cond": [list(gas.get_thermal_conductivity_polynomial(k)) for k in species],
        "diff": [list(gas.get_binary_diff_coeffs_polynomial(i, j)) for i in species for j in species if i <= j],
    }


def states(name, gas):
    """(kind, T in K, P in Pa, mole fractions): both sides of the intermediate temperature, zeros, traces, pure gas."""
    seeded = random.Random(name)

    def mixture(traces=False):
        shares = [seeded.expovariate(1.0) for _ in gas.species_names]
        return normal([1e-30 if traces and k % 3 == 0 else share for k, share in enumerate(shares)])

    def zeros():
        return normal([0.0 if k % 2 == 0 else seeded.expovariate(1.0) for k in range(gas.n_species)])

    fresh, burnt = compositions(gas, FUEL[name])
    pure = {s: [float(s == other) for other in gas.species_names] for s in ["N2", "H2", "H2O2"]}
    uniform = normal([1.0] * gas.n_species)
    listed = [
        ("fresh", 300.0, ct.one_atm, fresh),
        ("burnt", 2200.0, ct.one_atm, burnt),
        ("cold", 200.0, 0.1 * BAR, mixture()),
        ("below the intermediate temperature", 999.99, 10 * BAR, mixture()),
        ("above the intermediate temperature", 1000.01, 10 * BAR, zeros()),
        ("pure N2", 1500.0, BAR, pure["N2"]),
        ("hot", 4000.0, 100 * BAR, uniform),
        ("traces", 1400.0, 40 * BAR, mixture(traces=True)),
    ]
    more = [
        ("at the intermediate temperature", 1000.0, BAR, mixture()),
        ("pure H2", 250.0, 100 * BAR, pure["H2"]),
        ("pure H2O2", 3500.0, 0.1 * BAR, pure["H2O2"]),
        ("zeros", 650.0, 0.1 * BAR, zeros()),
        ("thin and hot", 3000.0, 0.1 * BAR, burnt),
        ("cold and dense", 200.0, 100 * BAR, zeros()),
    ]
    return listed + (more if name == "h2o2" else [])


def compositions(gas, fuel):
    gas.TPX = 300.0, ct.one_atm, fuel
    fresh = list(gas.X)
    gas.equilibrate("HP")
    return fresh, list(gas.X)


def normal(shares):
    total = sum(shares)
    return [share / total for share in shares]


def evaluated(gas, kind, t, p, x, full):
    """Every array of one state; `full` adds what follows from the others. Fails where Cantera's limits would show."""
    gas.TPX = t, p, x
    pressure = np.log(p / ct.one_atm)
    forward, reverse = gas.forward_rates_of_progress, gas.reverse_rates_of_progress
    kf, kr = gas.forward_rate_constants, gas.reverse_rate_constants
    nu = sum(sides(gas))

    def by_reaction(forth, back):
        pairs = [(forth[i], back[i] if j is None else forth[j]) for i, j in directions(gas)]
        return [forth for forth, _ in pairs], [back for _, back in pairs]

    constants, rates = by_reaction(kf, kr), by_reaction(forward, reverse)
    values = {
        "cp_R": gas.standard_cp_R,
        "h_RT": gas.standard_enthalpies_RT,
        "s_R": gas.standard_entropies_R + pressure,
        "kf": constants[0],
        "kr": constants[1],
        "wdot": gas.net_production_rates,
        "gross": nu @ (forward + reverse),
        "visc_k": gas.species_viscosities,
        "cond_k": conductivities(gas),
        "dmix": [None if x[k] > 1 - 1e-6 else d for k, d in enumerate(gas.mix_diff_coeffs)],
        "dmix_eps": diffusion(gas, 1e-12),
    }
    if full:
        binary = gas.binary_diff_coeffs * p / ct.one_atm
        values |= {
            "g_RT": gas.standard_gibbs_RT - pressure,
            "ropf": rates[0],
            "ropr": rates[1],
            "dij_1atm": [binary[i, j] for i in range(gas.n_species) for j in range(i, gas.n_species)],
        }
    arrays = {name: [v if v is None else float(v) for v in array] for name, array in values.items()}
    assert all(v is None or abs(v) < 1e290 for array in arrays.values() for v in array), kind
    mixture = {"rho": gas.density, "visc": gas.viscosity, "cond": gas.thermal_conductivity}
    return {"kind": kind, "T": t, "P": p, "X": x, **mixture, **arrays}


def directions(gas):
    """The reactions of the file: the converter makes two, one behind the other, of one with an explicit reverse rate."""
    listed, reactions = [], gas.reactions()
    for i, r in enumerate(reactions):
        before = listed[-1] if listed else (None, None)
        twin = reactions[i - 1]
        if before == (i - 1, None) and not (r.reversible or twin.reversible) and r.reactants == twin.products and r.products == twin.reactants:
            listed[-1] = (i - 1, i)
        else:
            listed.append((i, None))
    return listed


def sides(gas):
    """Coefficients of the left and the right sides. A species that Cantera takes for the collider of `H+O2+N2=HO2+N2`
    stands on both, as the file has it."""
    left, right = gas.reactant_stoich_coeffs.copy(), gas.product_stoich_coeffs.copy()
    for i, r in enumerate(gas.reactions()):
        if r.reaction_type.startswith("three-body") and r.third_body.name in gas.species_names:
            for side in (left, right):
                side[gas.species_index(r.third_body.name), i] += 1
    return left, right


def conductivities(gas):
    """The fits of the pure species: Cantera has no call that evaluates them."""
    powers = np.log(gas.T) ** np.arange(4)
    return [np.exp(powers @ gas.get_thermal_conductivity_polynomial(k)) for k in range(gas.n_species)]


def diffusion(gas, floor):
    """Mixture-averaged coefficients with floored mole fractions, summed without the species itself."""
    x, w, binary = np.maximum(gas.X, floor), gas.molecular_weights, gas.binary_diff_coeffs
    others = ~np.eye(gas.n_species, dtype=bool)
    return [(x * w)[o].sum() / (gas.mean_molecular_weight * (x[o] / binary[k][o]).sum()) for k, o in enumerate(others)]


def lists(name):
    """The QSSA and STIFF lists of a reduction."""
    words = [w for line in open(MECHANISMS / name / "reduction.txt") for w in line.split("!")[0].split()]
    found = {}
    for word in words:
        if word in ("QSSA", "STIFF"):
            key = word
        elif word != "END":
            found.setdefault(key, []).append(word)
    return found["QSSA"], found["STIFF"]


def reduced(gas, qssa, stiff):
    transported = [s for s in gas.species_names if s not in qssa]
    result = {"transported": transported, "qssa": qssa, "stiff": stiff, "states": []}
    seeded = random.Random("reduced")
    for kind, t, p, x in reduced_states(gas, qssa, seeded):
        gas.TPX = t, p, x
        plain = chemistry(gas, qssa, stiff, None, 1.0)
        noise = [seeded.uniform(-0.1, 0.1) for _ in transported]
        weights = [gas.molecular_weights[gas.species_index(s)] for s in transported]
        source = [n * g * w for n, g, w in zip(noise, plain["gross_qssa"], weights)]
        step = 10 ** seeded.uniform(-8.0, -5.5)
        values = chemistry(gas, qssa, stiff, source, step)
        sensitivity = amplification(gas, qssa, stiff, source, step, values)
        margin = values.pop("margin")
        assert margin > 1e-5, f"{kind}: a threshold is {margin} away"
        assert sensitivity < 30, f"{kind}: {sensitivity}"
        fractions = [x[gas.species_index(s)] for s in transported]
        state = {"kind": kind, "T": t, "P": p, "X": fractions, "DIFF": source, "dt": step, "sensitivity": sensitivity}
        result["states"].append({**state, **values})
    return result


def reduced_states(gas, qssa, seeded):
    """An ignition, its equilibrium, and random mixtures. Quasi-steady species are taken out; stiff ones are present."""

    def without(x):
        return normal([0.0 if s in qssa else max(v, 1e-15) for s, v in zip(gas.species_names, x)])

    gas.TPX = 1500.0, 10 * BAR, "CH4:1, CO:0.5, H2:0.5, O2:2.5, N2:8"
    net = ct.ReactorNet([ct.IdealGasConstPressureReactor(gas, clone=False)])
    listed = []
    for mark in [1501.0, 1520.0, 1600.0, 1900.0, 2300.0, 2600.0]:
        while gas.T < mark:
            net.step()
        listed.append(("ignition", gas.T, 10 * BAR, without(gas.X)))
    gas.equilibrate("HP")
    listed.append(("equilibrium", gas.T, 10 * BAR, without(gas.X)))
    for t, p in [(200.0, 1.0), (700.0, 100.0), (999.99, 1.0), (1000.01, 1.0), (1800.0, 0.1), (4000.0, 10.0)]:
        shares = [seeded.expovariate(1.0) * 10 ** seeded.uniform(-4.0, 0.0) for _ in gas.species_names]
        listed.append(("random", t, p * BAR, without(shares)))
    zeros = [0.0 if s in (*qssa, "AR", "C2H2", "H2") else seeded.expovariate(1.0) for s in gas.species_names]
    listed.append(("zeros", 1250.0, BAR, normal(zeros)))
    return listed


def amplification(gas, qssa, stiff, source, step, values):
    """How much larger than a relative change of every rate constant the relative change of the results is, at most."""
    worst = 0.0
    for seed in range(8):
        seeded = np.random.default_rng(seed)
        factors = 1 + PERTURBATION * seeded.uniform(-1, 1, (2, gas.n_reactions))
        other = chemistry(gas, qssa, stiff, source, step, factors)
        pairs = [("wdot", "gross"), ("wdot_jacobi", "gross_jacobi"), ("wdot_qssa", "gross_qssa"), ("XQ", "XQ")]
        pairs += [(rates, rates) for rates in ("rf1", "rb1", "rf2", "rb2", "rf2j", "rb2j")]
        for array, scale in pairs:
            change = np.abs(np.array(other[array]) - np.array(values[array]))
            size = np.abs(np.array(values[scale]))
            worst = max(worst, float((change[size > 0] / size[size > 0]).max()) / PERTURBATION)
    return worst


def chemistry(gas, qssa, stiff, source, step, factors=(1.0, 1.0)):
    """Rates with quasi-steady concentrations of 1, after their solution, and after stiffness; `source` None leaves the
    last out. Concentrations in kmol/m3, rates in kmol/m3/s, `source` in kg/m3/s by transported species, `step` in s."""
    names = gas.species_names
    quasi = [names.index(s) for s in qssa]
    listed = [names.index(s) for s in stiff]
    transported = [k for k in range(gas.n_species) if k not in quasi]
    left, right = sides(gas)
    concentration = gas.concentrations
    given = concentration.copy()
    given[quasi] = 1.0
    third = np.ones(gas.n_reactions)
    for i, r in enumerate(gas.reactions()):
        if r.reaction_type.startswith("three-body") and r.third_body.name == "M":
            third[i] = sum(r.third_body.efficiency(s) * concentration[k] for k, s in enumerate(names))
    rf = gas.forward_rate_constants * factors[0] * third * np.prod(given[:, None] ** left, axis=0)
    rb = gas.reverse_rate_constants * factors[1] * third * np.prod(given[:, None] ** right, axis=0)
    amounts = solve(quasi, left, right, rf, rb)
    rf0, rb0 = rf.copy(), rb.copy()
    for x, k in zip(amounts, quasi):
        rf[left[k] > 0] *= x
        rb[right[k] > 0] *= x
    values = {"XQ": amounts, "rf0": rf0, "rb0": rb0, "rf1": rf.copy(), "rb1": rb.copy()}

    def production(rf, rb, suffix):
        values["wdot" + suffix] = ((right - left) @ (rf - rb))[transported]
        values["gross" + suffix] = ((right + left) @ (abs(rf) + abs(rb)))[transported]

    production(rf, rb, "_qssa")
    values["margin"] = 1.0
    if source is not None:
        sources = np.zeros(gas.n_species)
        sources[transported] = source / gas.molecular_weights[transported]
        for simultaneous, suffix, rates in [(False, "", ""), (True, "_jacobi", "j")]:
            given = concentration, sources, step, left, right, rf, rb
            scaled, triggered, margin = stiffness(listed, *given, simultaneous)
            values["rf2" + rates], values["rb2" + rates] = scaled
            values["triggered" + suffix] = triggered
            values["margin"] = min(values["margin"], margin)
            production(*scaled, suffix)
    return {name: v if np.isscalar(v) else np.asarray(v).tolist() for name, v in values.items()}


def solve(quasi, left, right, rf, rb):
    """Concentrations at which production and destruction balance, from rates that are linear in them; T. Lu and
    C. K. Law, J. Phys. Chem. A 110 (2006) 13202. A direction that consumes two quasi-steady molecules is dropped: its
    rate is set to 0 in place."""
    size = len(quasi)
    matrix, production = np.zeros((size, size)), np.zeros(size)
    for rates, consumed, produced in [(rf, left, right), (rb, right, left)]:
        for i in range(len(rates)):
            consumes = [(row, consumed[k, i]) for row, k in enumerate(quasi) if consumed[k, i] > 0]
            if sum(count for _, count in consumes) > 1:
                rates[i] = 0.0
            gains = np.array([produced[k, i] for k in quasi])
            if consumes:
                matrix[:, consumes[0][0]] -= gains * rates[i]
                matrix[consumes[0][0], consumes[0][0]] += rates[i]
            else:
                production += gains * rates[i]
    return np.linalg.solve(matrix, production)


def stiffness(listed, concentration, sources, step, left, right, rf, rb, simultaneous):
    """Rates by which a species that is consumed within half a step relaxes in one step to where it is quasi-steady;
    T. Lu, C. K. Law, C. S. Yoo and J. H. Chen, Combust. Flame 156 (2009) 1542. One species after the other, or all from
    the same rates. Also which were treated, and how near a threshold came."""
    rf, rb = rf.copy(), rb.copy()
    first = rf.copy(), rb.copy()
    triggered, margin = [], 1.0
    for k in listed:
        forward, reverse = first if simultaneous else (rf, rb)
        destruction = left[k] @ forward + right[k] @ reverse
        creation = right[k] @ forward + left[k] @ reverse
        c = concentration[k]
        speed = destruction / c * step / 2
        margin = min(margin, abs(speed - 1))
        triggered.append(int(speed > 1))
        if speed > 1:
            steady = c * (creation + sources[k]) / destruction
            relaxed = c * (creation + sources[k] + (c - steady) / step) / destruction
            rf, rb = rf * (relaxed / c) ** left[k], rb * (relaxed / c) ** right[k]
    return (rf, rb), triggered, margin


def write(name, values):
    text = json.dumps(values, separators=(",", ":"), allow_nan=False)
    with open(HERE / f"{name}.json.gz", "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        file.write(text.encode())
    states = values["states"]
    print(f"{name}: {len(states)} states, {(HERE / f'{name}.json.gz').stat().st_size} bytes")
    for s in states:
        if "dt" in s:
            flags = "".join(map(str, s["triggered"])), "".join(map(str, s["triggered_jacobi"]))
            print(f"  {s['kind']} {s['T']:.2f} K, sensitivity {s['sensitivity']:.1f}, treated {' and '.join(flags)}")


if __name__ == "__main__":
    main()
