"""Cantera's flame speed beside that of flame.csv, and a picture of the profile: python3 compare.py chem.yaml flame.csv flame.svg"""

import csv
import math
import sys
import time

import cantera as ct


def flame(phase):
    """The speed of Cantera's free flame (m/s), mixture-averaged, on a grid as fine as ours, and its profile from the burnt side on."""
    solver = ct.FreeFlame(phase, width=0.02)
    solver.transport_model = "mixture-averaged"
    solver.set_refine_criteria(ratio=2, slope=0.03, curve=0.03)
    solver.solve(loglevel=0, auto=True)
    rows = [[-x, t, *y] for x, t, y in zip(solver.grid, solver.T, solver.Y.T)]
    return solver.velocity[0], rows[::-1]


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


def crossing(profile):
    """The position at which the temperature passes 1000 K; the first column is the position, the second the temperature."""
    for (x, t, *_), (next_x, next_t, *_) in zip(profile, profile[1:]):
        if (t - 1000) * (next_t - 1000) <= 0 and t != next_t:
            return x + (next_x - x) * (t - 1000) / (t - next_t)
    sys.exit("the profile has no front")


def picture(ours, theirs, path):
    """Temperature and three mass fractions beside the front, each by its largest value: ours as lines, Cantera's as dots."""
    columns = [
        ("T", 1, 3000, "#c0392b"),
        ("H2", 2, 0.03, "#2c7fb8"),
        ("OH", 6, 0.03, "#e08214"),
        ("H2O", 7, 0.3, "#4d9221"),
    ]
    text = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 340" font-family="sans-serif" font-size="13">']
    text.append('<rect width="640" height="340" fill="white"/><path d="M40 30V290H620" fill="none" stroke="#444"/>')
    for mm in (-1.5, -1, -0.5, 0, 0.5, 1):
        place = 40 + 232 * (mm + 1.5)
        text.append(
            f'<path d="M{place} 290v5" stroke="#444"/><text x="{place}" y="310" text-anchor="middle">{mm}</text>'
        )
    text.append(
        '<text x="330" y="330" text-anchor="middle">mm from the front, where the gas has 1000 K; lines: Singe, dots: Cantera</text>'
    )
    for place, (name, column, top, colour) in enumerate(columns):

        def points(profile):
            front = crossing(profile)
            near = ((1e3 * (row[0] - front), row[column]) for row in profile)
            return [(388 + 232 * x, 290 - 260 * y / top) for x, y in near if -1.5 <= x <= 1]

        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points(ours))
        text.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        last = (0, 0)
        for x, y in points(theirs):
            if math.dist(last, (x, y)) > 10:
                text.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
                last = (x, y)
        unit = " K" if name == "T" else ""
        text.append(f'<text x="{60 + 145 * place}" y="18" fill="{colour}">{name}, 0 to {top:g}{unit}</text>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(text) + "\n</svg>\n")


def main(mechanism, profile, svg):
    with open(profile, encoding="utf-8") as file:
        lines = list(csv.reader(file))
    rows = [[float(word) for word in line] for line in lines[1:]]
    phase = ct.Solution(mechanism)
    if phase.species_names != lines[0][2:]:
        sys.exit("the profile is of another mechanism")
    phase.TPY = 300.0, ct.one_atm, {"H2": 0.02852, "O2": 0.22635, "N2": 0.74513}
    velocity, theirs = flame(phase)
    print(f"Cantera's flame speed: {velocity:.3f} m/s")
    speed = reactors(mechanism, [row[1:] for row in rows], 5e-7, 100)
    print(f"Cantera's reactors over the same states, one core, steps of 5e-7 s: {speed:.0f} cell steps/s")
    picture(rows, theirs, svg)


main(*sys.argv[1:])
