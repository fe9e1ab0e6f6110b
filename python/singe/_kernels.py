"""Kernels of the CPU target on NumPy arrays."""

import ctypes
import os
import shlex
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ._command import compile as compile_mechanism

# As in the project that ``--emit host`` writes.
_FLAGS = ["-std=c++17", "-O3", "-march=native", "-fno-math-errno", "-Wno-psabi", "-fPIC", "-shared"]


def load(mechanism, *, output=None, **flags):
    """Compiles a mechanism for the CPU, builds the kernels with the C++ compiler (CXX, else c++) and loads them.

    ``output`` is the folder for sources and library; without it they lie in a temporary folder that is removed. Other keywords are
    flags of the command, such as ``kernel=["viscosity", "chemistry"]`` or ``units="cgs"``.
    """
    if output is not None:
        return _load(mechanism, Path(output), flags)
    with tempfile.TemporaryDirectory(prefix="singe-") as folder:
        # What is loaded stays so when its file is gone.
        return _load(mechanism, Path(folder), flags)


def _load(mechanism, folder, flags):
    made = compile_mechanism(mechanism, output=folder, target="cpu", emit="cuda,report", **flags)
    library = folder.resolve() / f"lib{made.report['mechanism']}.so"
    sources = sorted(str(source) for source in folder.glob(f"{made.report['mechanism']}_*.cpp"))
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    build = [*compiler, *_FLAGS, "-o", str(library), *sources]
    if subprocess.run([*build, "-fopenmp"], capture_output=True, check=False).returncode:
        # A compiler without OpenMP makes kernels of one thread; one that fails again says why.
        subprocess.run(build, check=True)
    return Gas(made.report, ctypes.CDLL(str(library)))


class Gas:
    """The kernels of a mechanism, one attribute each. ``species`` are the names in the order of the rows of arrays, ``report`` is
    the compiler's."""

    def __init__(self, report, library):
        self.report = report
        self.species = report["species_names"]
        prefix = report["mechanism"]
        self._library = library
        self._context = ctypes.c_void_p()
        self._destroy = getattr(library, f"{prefix}_context_destroy")
        self._destroy.argtypes = [ctypes.c_void_p]
        text = getattr(library, f"{prefix}_status_text")
        text.restype = ctypes.c_char_p
        status = getattr(library, f"{prefix}_context_create")(ctypes.byref(self._context))
        if status:
            raise RuntimeError(text(status).decode())
        self.kernels = {}
        for kernel in report["kernels"]:
            made = Kernel(library, kernel, self, text)
            self.kernels[made.name] = made
            setattr(self, made.name.replace("-", "_"), made)
        self._text = text
        self._advance = getattr(library, f"{prefix}_reactor_advance", None)

    def advance(
        self,
        temperature,
        fixed,
        mass_fractions,
        time_step,
        *,
        relative_tolerance=1e-6,
        absolute_tolerance=1e-12,
        first_step=0.0,
        most_steps=100_000,
        step=None,
    ):
        """Advances reactors over ``time_step`` (s), each with steps of its own. Needs a gas loaded with ``kernel="reactor"``.

        ``temperature`` (K), ``fixed`` (what stays constant: pressure in Pa, or with ``state="TRY"`` density in kg/m^3) and
        ``time_step`` are numbers or have the shape (points,), ``mass_fractions`` has the shape (species, points) or (species,).
        ``step`` has the first step of each point, such as the ``step`` of an earlier result. Returns an :class:`Advanced`.
        """
        import numpy as np

        if self._advance is None:
            raise TypeError('this gas has no reactors: load it with kernel="reactor"')
        fractions = np.asarray(mass_fractions, dtype=np.float64)
        numbers = [np.asarray(field, dtype=np.float64) for field in (temperature, fixed, time_step)]
        if fractions.ndim not in (1, 2) or fractions.shape[0] != len(self.species):
            raise ValueError(f"mass_fractions has the shape {fractions.shape} and not ({len(self.species)}, points)")
        points = np.broadcast_shapes((1,), fractions.shape[1:], *(field.shape for field in numbers))
        if len(points) != 1:
            raise ValueError("temperature, fixed and time_step are numbers or have the shape (points,)")
        if fractions.ndim == 1:
            fractions = fractions[:, np.newaxis]
        new_temperature, constant, times = (np.array(np.broadcast_to(field, points)) for field in numbers)
        new_fractions = np.array(np.broadcast_to(fractions, (len(self.species), *points)), order="C")
        status, steps, rejected = (np.zeros(points, dtype=np.intc) for _ in range(3))
        given = 0.0 if step is None else np.asarray(step, dtype=np.float64)
        lengths = np.array(np.broadcast_to(given, points))
        results = _Results(*(field.ctypes.data for field in (status, steps, rejected, lengths)))
        options = _Options(relative_tolerance, absolute_tolerance, first_step, most_steps)
        state = [new_temperature, constant, new_fractions, times, new_temperature, new_fractions]
        pointers = [ctypes.c_void_p(field.ctypes.data) for field in state]
        count = ctypes.c_int(points[0])
        failed = self._advance(self._context, *pointers, ctypes.byref(results), ctypes.byref(options), count, count)
        if failed:
            raise RuntimeError(self._text(failed).decode())
        return Advanced(new_temperature, new_fractions, status, steps, rejected, lengths)

    def __del__(self):
        if getattr(self, "_context", None):
            self._destroy(self._context)

    def __repr__(self):
        return f"<singe.Gas {self.report['mechanism']}: {', '.join(self.kernels)}>"


class _Results(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("status", "steps", "rejected", "step")]


class _Options(ctypes.Structure):
    _fields_ = [
        ("relative_tolerance", ctypes.c_double),
        ("absolute_tolerance", ctypes.c_double),
        ("first_step", ctypes.c_double),
        ("most_steps", ctypes.c_int),
    ]


@dataclass(frozen=True)
class Advanced:
    """What became of reactors, with an entry for each point: ``temperature`` (K) and ``mass_fractions`` (species, points) at the end;
    ``status``, 0 where a point is done, 1 where it took too many steps, 2 where no step was short enough, 3 where its input is no
    state (a point that is not done keeps its state); ``steps``, of which ``rejected`` were too long; ``step`` (s), what a point would
    go on with."""

    temperature: "numpy.ndarray"
    mass_fractions: "numpy.ndarray"
    status: "numpy.ndarray"
    steps: "numpy.ndarray"
    rejected: "numpy.ndarray"
    step: "numpy.ndarray"


@dataclass(frozen=True)
class Array:
    """``rows`` 1 is an array of points; else species or quantities come first, then points."""

    name: str
    rows: int
    output: bool


class Kernel:
    """One kernel. Call it with an array for each of ``inputs``, by name or in order: of shape (points,), or (rows, points) where the
    array has rows. A number stands for all points. The result has the same shapes, in the units of the C header."""

    def __init__(self, library, report, gas, text):
        self.name = report["kernel"]
        self.arrays = [Array(**array) for array in report["arrays"]]
        self.inputs = [array for array in self.arrays if not array.output]
        self._launch = getattr(library, f"{report['symbol']}_launch")
        pointers = [ctypes.c_void_p] * len(self.arrays)
        self._launch.argtypes = [ctypes.c_void_p, *pointers, ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
        # The context lives as long as a kernel that needs it.
        self._gas = gas
        self._text = text

    def __call__(self, *positional, **named):
        import numpy as np

        given = dict(zip((array.name for array in self.inputs), positional))
        if len(positional) > len(self.inputs) or given.keys() & named.keys():
            raise TypeError(f"{self.name} takes {self._names()}, each once")
        given.update(named)
        if given.keys() != {array.name for array in self.inputs}:
            raise TypeError(f"{self.name} takes {self._names()}")
        fields = {}
        for array in self.inputs:
            field = np.asarray(given[array.name], dtype=np.float64)
            allowed = (0, 1) if array.rows == 1 else (1, 2)
            if field.ndim not in allowed or (array.rows > 1 and field.shape[0] != array.rows):
                shape = "(points,)" if array.rows == 1 else f"({array.rows}, points)"
                raise ValueError(f"{array.name} has the shape {field.shape} and not {shape}")
            fields[array.name] = field
        counts = {f.shape[-1] for a, f in ((a, fields[a.name]) for a in self.inputs) if f.ndim == (1 if a.rows == 1 else 2)}
        if len(counts) > 1:
            raise ValueError(f"the arrays have different numbers of points: {sorted(counts)}")
        points = counts.pop() if counts else 1
        # Whole rows, one after the other: a row of an array is a field.
        whole = []
        for array in self.arrays:
            shape = (points,) if array.rows == 1 else (array.rows, points)
            if array.output:
                whole.append(np.empty(shape))
                continue
            field = fields[array.name]
            if array.rows > 1 and field.ndim == 1:
                field = field[:, np.newaxis]
            whole.append(np.ascontiguousarray(np.broadcast_to(field, shape)))
        pointers = [field.ctypes.data for field in whole]
        status = self._launch(self._gas._context, *pointers, points, points, None)
        if status:
            raise RuntimeError(self._text(status).decode())
        results = [field for array, field in zip(self.arrays, whole) if array.output]
        return results[0] if len(results) == 1 else tuple(results)

    def __repr__(self):
        return f"<singe.Kernel {self.name}({self._names()})>"

    def _names(self):
        return ", ".join(array.name for array in self.inputs)
