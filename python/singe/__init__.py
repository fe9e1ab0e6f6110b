"""Singe: from combustion mechanisms to verified kernels.

    import singe
    made = singe.compile("gri30/chem.inp", target="hopper", warps=8, output="kernels")
    print(made.report["kernels"][0]["verdict"])

    gas = singe.load("gri30/chem.inp")
    mu = gas.viscosity(temperature=T, pressure=p, mole_fractions=X)

    gas = singe.load("gri30/chem.inp", kernel="reactor")
    burnt = gas.advance(T, p, Y, 1e-5)

    assert singe.verify(kernel, block=256)      # a kernel of Triton, Numba or CuPy, or PTX

Flags of the command are keywords: ``ctas_per_sm="auto"`` is ``--ctas-per-sm auto``, lists are joined by commas, and
``True`` gives the flag alone. :func:`load` needs NumPy and a C++ compiler.
"""

from ._command import Compilation, Error, check, command, compile, doctor
from ._kernels import AdvanceError, Advanced, Gas, Kernel, load
from ._verify import Verification, verify

__all__ = ["AdvanceError", "Advanced", "Compilation", "Error", "Gas", "Kernel", "Verification", "check", "command", "compile", "doctor", "load", "verify"]
