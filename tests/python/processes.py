"""Calls kernels in processes that multiprocessing starts, by forking this one, whose OpenMP has threads by then, and anew.

    python3 tests/python/processes.py MECHANISM      prints how they were started
"""

import multiprocessing
import sys

import numpy as np

import singe

gas = None


def load(mechanism):
    global gas
    gas = singe.load(mechanism, kernel=["viscosity"])


def viscosity(T):
    return gas.viscosity(temperature=T, pressure=101325.0, mole_fractions="H2:2, O2:1")


if __name__ == "__main__":
    load(sys.argv[1])
    T = np.linspace(300.0, 3000.0, 1000)
    expected = viscosity(T)
    for how, begin in (("fork", None), ("spawn", load)):
        if how not in multiprocessing.get_all_start_methods():
            continue
        with multiprocessing.get_context(how).Pool(2, begin, (sys.argv[1],) if begin else ()) as pool:
            # One that waits for threads that are not there would wait for ever.
            found = pool.map_async(viscosity, np.array_split(T, 4)).get(timeout=120)
        assert np.array_equal(np.concatenate(found), expected), how
        print(how)
