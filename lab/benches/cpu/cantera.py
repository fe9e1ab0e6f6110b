import json, sys, time
import cantera as ct
states = json.load(open(sys.argv[2]))
gas = ct.Solution(sys.argv[1] + ".yaml", transport_model="mixture-averaged-CK")
properties = {
    "viscosity": lambda: gas.viscosity,
    "conductivity": lambda: gas.thermal_conductivity,
    "diffusion": lambda: gas.mix_diff_coeffs,
    "chemistry": lambda: gas.net_production_rates,
}
properties["set"] = lambda: None
least = {name: float("inf") for name in properties}
for turn in range(40):
    for name in sorted(properties, reverse=turn % 2 == 1):
        property = properties[name]
        begin = time.process_time()
        for t, p, x in states:
            gas.TPX = t, p, x
            property()
        least[name] = min(least[name], time.process_time() - begin)
out = {"version": ct.__version__}
for name, seconds in least.items():
    out[name] = len(states) / seconds
    if name != "set":
        out[name + " alone"] = len(states) / (seconds - least["set"])
print(json.dumps(out))
