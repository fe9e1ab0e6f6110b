"""Draws PeleC's flame PMF from plot files: the profiles of one run as lines, those of another as dots.

    python3 lab/src/pmf.py REACTOR_CVODE/plt00100 REACTOR_SINGE/plt00100 > docs/lab/pmf.svg

Plot files are those of one level, in double precision, with the flame along the last axis.
"""

import re
import sys
from array import array
from pathlib import Path

# Field, words, colour
FIELDS = [
    ("Temp", "temperature in K", "#b03a48"),
    ("Y(CH4)", "mass fraction of CH4", "#1b6ca8"),
    ("Y(CO)", "of CO", "#2e8b57"),
    ("Y(OH)", "of OH", "#c77700"),
]

FRAME = (70, 610, 20, 350)  # left, right, top, bottom


def read(folder):
    """Names of the fields, places in cm, and the fields in the first column of cells."""
    header = (Path(folder) / "Header").read_text().split("\n")
    count = int(header[1])
    names, rest = header[2 : 2 + count], header[2 + count :]
    low, high = (float(rest[line].split()[-1]) for line in (3, 4))
    level, columns = Path(folder) / "Level_0", {}
    for name, offset in re.findall(r"FabOnDisk: (\S+) (\d+)", (level / "Cell_H").read_text()):
        with open(level / name, "rb") as file:
            file.seek(int(offset))
            about = file.readline().decode()
            first, last = ([int(n) for n in corner] for corner in re.findall(r"\((-?\d+),(-?\d+),(-?\d+)\)", about)[:2])
            sizes = [b - a + 1 for a, b in zip(first, last)]
            points = sizes[0] * sizes[1] * sizes[2]
            values = array("d")
            values.frombytes(file.read(8 * points * count))
        for k in range(sizes[2]):
            at = k * sizes[0] * sizes[1]
            columns[first[2] + k] = [values[field * points + at] for field in range(count)]
    rows = [columns[k] for k in sorted(columns)]
    step = (high - low) / len(rows)
    return names, [low + step * (k + 0.5) for k in range(len(rows))], rows


def main(line, dots):
    names, places, of_line = read(line)
    same, _, of_dots = read(dots)
    assert names == same
    left, right, top, bottom = FRAME
    print('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 400" font-family="sans-serif" font-size="13">')
    print('<rect width="880" height="400" fill="white"/>')
    print(f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" fill="none" stroke="#444"/>')
    across = lambda z: left + (z - places[0]) / (places[-1] - places[0]) * (right - left)
    for share in range(5):
        z = places[0] + share / 4 * (places[-1] - places[0])
        print(f'<text x="{across(z):.1f}" y="{bottom + 18}" text-anchor="middle">{z:.2f}</text>')
    print(f'<text x="{(left + right) / 2}" y="{bottom + 38}" text-anchor="middle">place, cm</text>')
    for n, (field, what, colour) in enumerate(FIELDS):
        column = names.index(field)
        largest = max(row[column] for row in of_line)
        up = lambda value: bottom - value / (1.05 * largest) * (bottom - top)
        points = " ".join(f"{across(z):.1f},{up(row[column]):.1f}" for z, row in zip(places, of_line))
        print(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.2"/>')
        for z, row in list(zip(places, of_dots))[::2]:
            print(f'<circle cx="{across(z):.1f}" cy="{up(row[column]):.1f}" r="2.4" fill="none" stroke="{colour}"/>')
        apart = max(abs(a[column] - b[column]) for a, b in zip(of_line, of_dots))
        print(f'<text x="{right + 15}" y="{40 + 52 * n}" fill="{colour}">{what}, at most {largest:.4g}</text>')
        print(f'<text x="{right + 15}" y="{58 + 52 * n}" fill="{colour}">apart at most {apart / largest:.0e} of it</text>')
    print(f'<text x="{right + 15}" y="{bottom - 22}">line: ReactorCvode</text>')
    print(f'<text x="{right + 15}" y="{bottom - 4}">dots: ReactorSinge</text>')
    print("</svg>")


if __name__ == "__main__":
    main(*sys.argv[1:])
