"""A gas of Cantera with our rates and transport beside the same gas with its own: properties, a reactor, a flame, and what is refused.

    python3 tests/python/accelerated.py        prints the largest differences
"""

import tempfile
from pathlib import Path

import cantera as ct
import numpy as np

import singe
import singe.cantera

ct.suppress_thermo_warnings()
own = ct.Solution("h2o2.yaml", transport_model="mixture-averaged-CK")
own.TPX = 1234.5, 2e5, "H2:1, O2:1"
gas = singe.cantera.accelerate(own)
assert isinstance(gas, ct.Solution) and gas.species_names == own.species_names and gas.name == own.name
assert gas.kinetics_model.startswith("singe-"), gas.kinetics_model
assert np.array_equal(gas.state, own.state), (gas.state, own.state)

# What a value is compared with, and how far it may be off.
scales = {
    "net_production_rates": (lambda: own.creation_rates + own.destruction_rates, 1e-12),
    "creation_rates": (lambda: own.creation_rates, 1e-12),
    "destruction_rates": (lambda: own.destruction_rates, 1e-12),
    "forward_rates_of_progress": (lambda: own.forward_rates_of_progress, 1e-12),
    "reverse_rates_of_progress": (lambda: own.reverse_rates_of_progress, 1e-12),
    "net_rates_of_progress": (lambda: own.forward_rates_of_progress + own.reverse_rates_of_progress, 1e-12),
    "forward_rate_constants": (lambda: own.forward_rate_constants, 1e-12),
    # Cantera's, by differences over 1e-8 of the temperature, which leave it eight digits of sixteen.
    "net_production_rates_ddT": (lambda: np.abs(own.net_production_rates_ddT).max(), 1e-6),
    "viscosity": (lambda: own.viscosity, 1e-4),
    "thermal_conductivity": (lambda: own.thermal_conductivity, 1e-4),
    "mix_diff_coeffs": (lambda: own.mix_diff_coeffs, 1e-4),
    "mix_diff_coeffs_mass": (lambda: own.mix_diff_coeffs_mass, 1e-12),
}
worst = dict.fromkeys(scales, 0.0)


def compare(names):
    for name in names:
        scale, allowed = scales[name]
        ours, theirs, size = (np.asarray(value) for value in (getattr(gas, name), getattr(own, name), scale()))
        worst[name] = max(worst[name], float(np.max(np.abs(ours - theirs) / np.where(size > 0, size, 1))))
        assert worst[name] <= allowed, (name, worst[name], own.TPX)


random = np.random.default_rng(1)


def somewhere():
    composition = random.random(own.n_species) ** 6 * (random.random(own.n_species) > 0.2)
    state = random.uniform(300, 3000), 10 ** random.uniform(4, 6.5), composition
    own.TPX = gas.TPX = state


for _ in range(100):
    somewhere()
    compare(scales)

# Where a reaction is not what the functions were made of, rates are Cantera's, of the very same numbers.
theirs = singe.cantera.accelerate(own)
theirs.modify_reaction(2, theirs.reaction(2))
theirs.transport_model = "multicomponent"
theirs.transport_model = "mixture-averaged-CK"
rates = ["net_production_rates", "net_rates_of_progress", "creation_rates", "destruction_rates"]


def are_equal(names):
    return [np.array_equal(getattr(gas, name), getattr(theirs, name)) for name in names]


somewhere()
theirs.TPX = gas.TPX = own.TPX
assert not any(are_equal([*rates, "viscosity", "thermal_conductivity", "mix_diff_coeffs"]))
assert all(are_equal(["forward_rate_constants", "net_production_rates_ddT", "mix_diff_coeffs_mass"]))
for factor in (3.0, 1.0):
    for each in (own, gas, theirs):
        each.set_multiplier(factor, 2)
    compare(rates)
    assert are_equal(rates) == [factor != 1.0] * len(rates)
# So they are where a fraction is negative.
for each in (own, gas, theirs):
    each.set_unnormalized_mass_fractions(own.Y - 1e-9 if each is own else own.Y)
assert own.Y.min() < 0 and all(are_equal(rates))
print({name: f"{value:.0e}" for name, value in worst.items()})


def ignition(phase, clone):
    phase.TPX = 1200, ct.one_atm, "H2:2, O2:1, AR:7"
    reactor = ct.IdealGasConstPressureReactor(phase, clone=clone)
    network = ct.ReactorNet([reactor])
    network.rtol, network.atol = 1e-9, 1e-15
    temperatures = []
    for time in np.geomspace(1e-5, 1e-1, 30):
        network.advance(time)
        temperatures.append(reactor.T)
    return np.array(temperatures), reactor.phase.kinetics_model


(theirs, _), (ours, _), (cloned, model) = ignition(own, False), ignition(gas, False), ignition(gas, True)
assert theirs[-1] > 2600 and model == gas.kinetics_model, (theirs, model)
off = max(np.max(np.abs(ours / theirs - 1)), np.max(np.abs(cloned / theirs - 1)))
assert off < 1e-5, off


def flame(phase):
    phase.TPX = 300, ct.one_atm, "H2:2, O2:1, AR:7"
    made = ct.FreeFlame(phase, width=0.03)
    made.set_refine_criteria(ratio=3, slope=0.1, curve=0.2)
    made.solve(loglevel=0)
    return made.velocity[0], np.max(made.T), len(made.grid)


(speed, hottest, points), (our_speed, our_hottest, our_points) = flame(own), flame(gas)
assert 1 < speed < 2 and abs(our_speed / speed - 1) < 1e-4 and abs(our_hottest / hottest - 1) < 1e-5, (speed, our_speed)
assert points == our_points, (points, our_points)
print(f"reactor {off:.0e}, flame {abs(our_speed / speed - 1):.0e} of {speed:.4f} m/s")


def refused(*arguments, **named):
    try:
        singe.cantera.accelerate(*arguments, **named)
    except singe.Error as error:
        return str(error)
    raise SystemExit(f"{arguments} {named} was taken")


assert "Redlich-Kwong" in refused(ct.Solution(thermo="Redlich-Kwong", species=own.species(), kinetics="bulk")), "real gas"
assert "Lewis" in refused(own, lewis_numbers="unity"), "the classes are those of mixture averages"
assert "Lewis" in refused(ct.Solution("h2o2.yaml", transport_model="unity-Lewis-number"), transport=True)
with tempfile.TemporaryDirectory() as folder:
    old = Path(folder) / "cantera"
    (old / "kinetics").mkdir(parents=True)
    (old / "kinetics/BulkKinetics.h").touch()
    assert "config.h" in refused(gas=own, include=folder)
    (old / "base").mkdir()
    (old / "base/config.h").write_text('#define CANTERA_VERSION "2.0.0"\n')
    assert "2.0.0" in refused(gas=own, include=[folder])
