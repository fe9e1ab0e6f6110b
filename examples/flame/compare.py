"""Cantera's flame speed beside that of flame.csv, and a picture of the profile: python3 compare.py chem.yaml flame.csv flame.svg"""

import csv
import sys
import time

import cantera as ct


def flame(phase):
    """The speed of Cantera's free flame (m/s), mixture-averaged, on a grid as fine as ours."""
    solver = ct.FreeFlame(phase, width=0.02)
    solver.transport_model = "mixture-averaged"
    solver.set_refine_criteria(ratio=2, slope=0.03, curve=0.03)
    solver.solve(loglevel=0, auto=True)
    return solver.velocity[0]


def reactors(file, states, step, count):
    """Cell steps per second of Cantera's reactors on one core, over the same states and step."""
    phase = ct.Solution(file)
    begin, done = time.process_time(), 0
    for state in states[:: max(1, len(states) // count)]:
        phase.TPY = state[0], ct.one_atm, state[1:]
        reactor = ct.IdealGasConstPressureReactor(phase, clone=False)
        network = ct.ReactorNet([reactor])
        network.rtol, network.atol = 1e-4, 1e-10
        network.advance(step)
        done += 1
    return done / (time.process_time() - begin)


def picture(rows, path):
    """Temperature and three mass fractions over the position, each by its largest value."""
    columns = [("T", 1, "#c0392b"), ("H2", 2, "#2c7fb8"), ("OH", 6, "#e08214"), ("H2O", 7, "#4d9221")]
    first, last = rows[0][0], rows[-1][0]
    text = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 320" font-family="sans-serif" font-size="13">']
    text.append('<rect width="640" height="320" fill="white"/><path d="M40 20V290H620" fill="none" stroke="#444"/>')
    for place, (name, column, colour) in enumerate(columns):
        top = max(row[column] for row in rows)
        points = " ".join(
            f"{40 + 580 * (row[0] - first) / (last - first):.1f},{290 - 260 * row[column] / top:.1f}" for row in rows
        )
        text.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        unit = " K" if name == "T" else ""
        text.append(f'<text x="{60 + 130 * place}" y="14" fill="{colour}">{name}, at most {top:.3g}{unit}</text>')
    text.append(f'<text x="480" y="310">position, {1e3 * (last - first):.1f} mm in all</text></svg>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(text) + "\n")


def main(mechanism, profile, svg):
    with open(profile, encoding="utf-8") as file:
        lines = list(csv.reader(file))
    rows = [[float(word) for word in line] for line in lines[1:]]
    phase = ct.Solution(mechanism)
    if phase.species_names != lines[0][2:]:
        sys.exit("the profile is of another mechanism")
    phase.TPY = 300.0, ct.one_atm, {"H2": 0.02852, "O2": 0.22635, "N2": 0.74513}
    print(f"Cantera's flame speed: {flame(phase):.3f} m/s")
    speed = reactors(mechanism, [row[1:] for row in rows], 5e-7, 100)
    print(f"Cantera's reactors over the same states, one core, steps of 5e-7 s: {speed:.0f} cell steps/s")
    picture(rows, svg)


main(*sys.argv[1:])
