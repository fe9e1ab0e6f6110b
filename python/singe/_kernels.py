"""Kernels of the CPU target on NumPy arrays."""

import ctypes
import os
import shlex
import subprocess
import sys
import tempfile
import time
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
    told_by_energy = str(flags.get("state")).upper() in ("HPY", "ERY")
    return Gas(made.report, ctypes.CDLL(str(library)), told_by_energy)


class Gas:
    """The kernels of a mechanism, one attribute each. ``species`` are the names in the order of the rows of arrays, ``report`` is
    the compiler's."""

    def __init__(self, report, library, told_by_energy=False):
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
        self._is_told_by_energy = told_by_energy

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
        species_sources=None,
        energy_source=None,
        progress=False,
    ):
        """Advances reactors over ``time_step`` (s), each with steps of its own. Needs a gas loaded with ``kernel="reactor"``.

        ``temperature`` (K; with ``state="HPY"`` or ``"ERY"`` the specific enthalpy or energy in J/kg), ``fixed`` (what stays constant:
        pressure in Pa, or with ``state="TRY"`` or ``"ERY"`` density in kg/m^3) and ``time_step`` are numbers or have the shape (points,),
        ``mass_fractions`` has the shape (species, points) or (species,). ``absolute_tolerance`` is a number or has one for each species.
        ``step`` has the first step of each point, such as the ``step`` of an earlier result. ``species_sources`` (1/s, shaped as
        ``mass_fractions``) and ``energy_source`` (W/kg, a number or of shape (points,)) are constant over the time step.
        ``progress`` shows a bar on standard error. Returns an :class:`Advanced`.
        """
        import numpy as np

        if self._advance is None:
            raise TypeError('this gas has no reactors: load it with kernel="reactor"')
        count = len(self.species)
        by_species = {"mass_fractions": mass_fractions, "species_sources": species_sources}
        by_species = {name: np.asarray(field, dtype=np.float64) for name, field in by_species.items() if field is not None}
        for name, field in by_species.items():
            if field.ndim not in (1, 2) or field.shape[0] != count:
                raise ValueError(f"{name} has the shape {field.shape} and not ({count}, points)")
        numbers = {"state": temperature, "fixed": fixed, "time_step": time_step, "step": 0.0 if step is None else step}
        if energy_source is not None:
            numbers["energy_source"] = energy_source
        numbers = {name: np.asarray(field, dtype=np.float64) for name, field in numbers.items()}
        tolerances = np.asarray(absolute_tolerance, dtype=np.float64)
        if tolerances.shape not in ((), (count,)):
            raise ValueError(f"absolute_tolerance has the shape {tolerances.shape} and not ({count},)")
        shapes = [(1,), *(field.shape[1:] for field in by_species.values()), *(field.shape for field in numbers.values())]
        points = np.broadcast_shapes(*shapes)
        if len(points) != 1:
            raise ValueError("temperature, fixed, time_step, step and energy_source are numbers or have the shape (points,)")
        rows = (count, *points)
        # Copies: the state is advanced in place.
        numbers = {name: np.array(np.broadcast_to(field, points)) for name, field in numbers.items()}
        whole = {n: f[:, np.newaxis] if f.ndim == 1 else f for n, f in by_species.items()}
        whole = {name: np.array(np.broadcast_to(field, rows), order="C") for name, field in whole.items()}
        status, steps, rejected = (np.zeros(points, dtype=np.intc) for _ in range(3))
        end, heat = np.zeros(points), np.zeros(points)
        mean = np.zeros(rows)
        options = _Options(relative_tolerance, float(tolerances.flat[0]), first_step, most_steps)
        if tolerances.ndim:
            tolerances = np.ascontiguousarray(tolerances)
            options.species_tolerances = tolerances.ctypes.data
        results = [status, steps, rejected, numbers["step"], end, mean, heat]
        sources = [whole.get("species_sources"), numbers.get("energy_source")]
        state = [numbers["state"], numbers["fixed"], whole["mass_fractions"], numbers["time_step"]]
        self._advance_in_parts([*state, state[0], state[2]], sources, results, options, points[0], progress)
        energy = numbers["state"] if self._is_told_by_energy else None
        return Advanced(end, whole["mass_fractions"], status, steps, rejected, numbers["step"], mean, heat, energy)

    def _advance_in_parts(self, state, sources, results, options, points, progress):
        """One call, or several where progress is shown: points do not influence each other."""
        part = max(1, -(-points // 100), 64) if progress else max(points, 1)
        begun = time.monotonic()
        for first in range(0, points, part):
            count = min(part, points - first)
            # Rows of arrays by species stay apart as they are: a part begins at its first point.
            def pointer(field):
                return None if field is None else field.ctypes.data + first * field.itemsize

            given = _Sources(*(pointer(field) for field in sources))
            kept = _Results(*(pointer(field) for field in results))
            pointers = [ctypes.c_void_p(pointer(field)) for field in state]
            given, kept = ctypes.byref(given), ctypes.byref(kept)
            numbers = ctypes.c_int(count), ctypes.c_int(points)
            failed = self._advance(self._context, *pointers, given, kept, ctypes.byref(options), *numbers)
            if failed:
                raise RuntimeError(self._text(failed).decode())
            if progress:
                _show(first + count, points, time.monotonic() - begun)

    def __del__(self):
        if getattr(self, "_context", None):
            self._destroy(self._context)

    def __repr__(self):
        return f"<singe.Gas {self.report['mechanism']}: {', '.join(self.kernels)}>"


def _show(done, points, seconds):
    """A bar on standard error, in place of the one before."""
    filled = 40 * done // points
    rest = seconds * (points - done) / done
    end = "\n" if done == points else ""
    text = f"\r[{'#' * filled}{'.' * (40 - filled)}] {done} of {points} points, {seconds:.0f} s, {rest:.0f} s to go "
    print(text, end=end, file=sys.stderr, flush=True)


class _Results(ctypes.Structure):
    _names = ("status", "steps", "rejected", "step", "temperature", "mean_rates", "heat_release")
    _fields_ = [(name, ctypes.c_void_p) for name in _names]


class _Sources(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("mass_fractions", "energy")]


class _Options(ctypes.Structure):
    _fields_ = [
        ("relative_tolerance", ctypes.c_double),
        ("absolute_tolerance", ctypes.c_double),
        ("first_step", ctypes.c_double),
        ("most_steps", ctypes.c_int),
        ("species_tolerances", ctypes.c_void_p),
    ]


@dataclass(frozen=True)
class Advanced:
    """What became of reactors, with an entry for each point: ``temperature`` (K) and ``mass_fractions`` (species, points) at the end;
    ``status``, 0 where a point is done, 1 where it took too many steps, 2 where no step was short enough, 3 where its input is no
    state (a point that is not done keeps its state); ``steps``, of which ``rejected`` were too long; ``step`` (s), what a point would
    go on with; over the time step ``mean_rates`` (1/s, species by points), the changes of mass fractions by reactions, and ``heat_release``
    (W/kg), by enthalpies at 298.15 K; with states of enthalpies or energies these at the end, ``energy`` (J/kg)."""

    temperature: "numpy.ndarray"
    mass_fractions: "numpy.ndarray"
    status: "numpy.ndarray"
    steps: "numpy.ndarray"
    rejected: "numpy.ndarray"
    step: "numpy.ndarray"
    mean_rates: "numpy.ndarray"
    heat_release: "numpy.ndarray"
    energy: "numpy.ndarray | None"


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
