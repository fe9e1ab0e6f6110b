"""Kernels of the CPU target on NumPy arrays."""

from __future__ import annotations

import ctypes
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union

from ._command import PathLike
from ._command import compile as compile_mechanism
from ._composition import by_name, fractions
from ._library import library, listed

if TYPE_CHECKING:
    import numpy
    from numpy.typing import ArrayLike

    Field = Union[ArrayLike, Mapping[str, ArrayLike], str]


def load(mechanism: PathLike, *, output: PathLike | None = None, species_axis: int | None = None, **flags: Any) -> Gas:
    """Compiles a mechanism for the CPU, builds the kernels with the C++ compiler (CXX, else c++) and loads them. Both are kept, so that
    the same gas loads in a moment the next time; ``no_cache=True`` makes it anew.

    ``output`` is the folder for the sources; without it they lie in a temporary folder that is removed. ``species_axis`` says where
    arrays have their species: first (0), or last (-1); without it first, and an array that may have them either way is refused. Other
    keywords are flags of the command, such as ``kernel=["viscosity", "chemistry"]`` or ``units="cgs"``.
    """
    if species_axis not in (None, 0, -1):
        raise ValueError("species_axis is 0 (first) or -1 (last)")
    target = flags.pop("target", "cpu")
    if target != "cpu":
        raise ValueError(f'load makes kernels for the CPU and not for {target}: use compile(…, target="{target}") for their sources')
    if "emit" in flags:
        raise ValueError("load takes no emit: it decides which files are made; compile(…, emit=…) writes others")
    if output is not None:
        return _load(mechanism, Path(output), species_axis, flags)
    with tempfile.TemporaryDirectory(prefix="singe-") as folder:
        # What is loaded stays so when its file is gone.
        return _load(mechanism, Path(folder), species_axis, flags)


def _load(mechanism, folder, species_axis, flags):
    made = compile_mechanism(mechanism, output=folder, target="cpu", emit="cuda,report", **flags)
    told_by_energy = str(flags.get("state")).upper() in ("HPY", "ERY")
    built = library(listed(folder, made.report["mechanism"]), folder, not flags.get("no_cache"))
    return Gas(made.report, built, told_by_energy, species_axis)


class Gas:
    """The kernels of a mechanism, one attribute each. ``species`` are the names in the order of the rows of arrays, ``molecular_weights``
    (kg/kmol) has the same order, ``report`` is the compiler's."""

    species: list[str]
    report: dict[str, Any]
    kernels: dict[str, Kernel]

    def __init__(self, report: dict[str, Any], library: ctypes.CDLL, told_by_energy: bool = False, species_axis: int | None = None) -> None:
        self.report = report
        self.species = report["species_names"]
        self.species_axis = species_axis or 0
        self._is_axis_told = species_axis is not None
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

    def __getattr__(self, name: str) -> Kernel:
        # Kernels are attributes of their own; what is asked for here is not there.
        if name.startswith("_") or name in ("kernels", "report", "species"):
            raise AttributeError(name)
        known = ", ".join(self.kernels)
        raise AttributeError(f"this gas has no kernel {name}; it was loaded with {known} (singe.load(…, kernel=[…]))")

    @property
    def molecular_weights(self) -> numpy.ndarray:
        """In kg/kmol, in the order of ``species``."""
        import numpy as np

        return np.array(self.report["species_weights"])

    def index(self, name: str) -> int:
        """The row of a species. Raises KeyError where there is none of that name."""
        return by_name(self.species, name)

    def fractions(self, composition: Field) -> numpy.ndarray:
        """An array by species of a composition by name: a mapping such as ``{"H2": 2.0, "O2": 1.0}``, whose values may be arrays of any one
        shape, or a text such as ``"H2:2, O2:1"``. Amounts are divided by their sum; species that are not named have none."""
        return fractions(self.species, composition, self.species_axis)

    def mole_fractions(self, mass_fractions: Field) -> numpy.ndarray:
        """Mole fractions of the gas with these mass fractions."""
        return self._converted(mass_fractions, -1)

    def mass_fractions(self, mole_fractions: Field) -> numpy.ndarray:
        """Mass fractions of the gas with these mole fractions."""
        return self._converted(mole_fractions, 1)

    def _converted(self, given, power):
        import numpy as np

        weights = self.molecular_weights**power
        first = self._by_species("the composition", given, len(weights))
        amounts = first * weights.reshape((-1,) + (1,) * (first.ndim - 1))
        return np.moveaxis(amounts / amounts.sum(axis=0), 0, self.species_axis)

    def _by_species(self, name, given, rows, dtype="float64"):
        """A field with so many rows, which come first in what is returned, from names where it has them."""
        import numpy as np

        is_named = isinstance(given, (Mapping, str))
        field = self.fractions(given).astype(dtype) if is_named else _numbers(name, given, dtype)
        axis = self.species_axis
        if field.ndim == 0 or field.shape[axis] != rows:
            wanted, other = (f"({rows}, …)", f"(…, {rows})")[:: 1 if axis == 0 else -1]
            raise ValueError(f"{name} has the shape {field.shape} and not {wanted}; load the gas with species_axis={-1 - axis} for {other}")
        if not (self._is_axis_told or is_named) and field.ndim > 1 and field.shape[-1] == rows:
            raise ValueError(
                f"{name} has the shape {field.shape}, in which species may come first or last: load the gas with species_axis=0 or -1"
            )
        return np.moveaxis(field, axis, 0)

    def advance(
        self,
        temperature: ArrayLike,
        fixed: ArrayLike,
        mass_fractions: Field,
        time_step: ArrayLike,
        *,
        relative_tolerance: float = 1e-6,
        absolute_tolerance: ArrayLike = 1e-12,
        first_step: float = 0.0,
        most_steps: int = 100_000,
        step: ArrayLike | None = None,
        species_sources: ArrayLike | None = None,
        energy_source: ArrayLike | None = None,
        progress: bool = False,
        on_failure: str = "raise",
    ) -> Advanced:
        """Advances reactors over ``time_step`` (s), each with steps of its own. Needs a gas loaded with ``kernel="reactor"``.

        ``temperature`` (K; with ``state="HPY"`` or ``"ERY"`` the specific enthalpy or energy in J/kg), ``fixed`` (what stays constant:
        pressure in Pa, or with ``state="TRY"`` or ``"ERY"`` density in kg/m^3) and ``time_step`` are arrays of any shape, which is the shape
        of the points; ``mass_fractions`` has one axis more, by species (first, or last with ``species_axis=-1``). Shapes are broadcast, so
        that a number stands for all points. ``absolute_tolerance`` is a number or has one for each species.
        ``step`` has the first step of each point, such as the ``step`` of an earlier result. ``species_sources`` (1/s, shaped as
        ``mass_fractions``) and ``energy_source`` (W/kg, shaped as ``temperature``) are constant over the time step.
        ``progress`` shows a bar on standard error. Returns an :class:`Advanced`. Raises :class:`AdvanceError`, whose ``result`` that is, where a
        point is not done; with ``on_failure="return"`` its ``status`` alone tells.
        """
        import numpy as np

        if on_failure not in ("raise", "return"):
            raise ValueError('on_failure is "raise" or "return"')
        if self._advance is None:
            raise TypeError('this gas has no reactors: load it with kernel="reactor"')
        count = len(self.species)
        by_species = {"mass_fractions": mass_fractions, "species_sources": species_sources}
        by_species = {name: self._by_species(name, field, count) for name, field in by_species.items() if field is not None}
        numbers = {"temperature": temperature, "fixed": fixed, "time_step": time_step, "step": 0.0 if step is None else step}
        if energy_source is not None:
            numbers["energy_source"] = energy_source
        numbers = {name: _numbers(name, field) for name, field in numbers.items()}
        tolerances = _numbers("absolute_tolerance", absolute_tolerance)
        if tolerances.shape not in ((), (count,)):
            raise ValueError(f"absolute_tolerance has the shape {tolerances.shape} and not ({count},)")
        shapes = {name: field.shape[1:] for name, field in by_species.items()}
        shapes.update((name, field.shape) for name, field in numbers.items())
        points = _shape_of_points(shapes)
        rows = (count, *points)
        # Copies: the state is advanced in place.
        numbers = {name: np.array(np.broadcast_to(field, points), order="C") for name, field in numbers.items()}
        whole = {name: np.array(_by_rows(field, 1, points), order="C") for name, field in by_species.items()}
        status, steps, rejected = (np.zeros(points, dtype=np.intc) for _ in range(3))
        end, heat = np.zeros(points), np.zeros(points)
        mean = np.zeros(rows)
        options = _Options(relative_tolerance, float(tolerances.flat[0]), first_step, most_steps)
        if tolerances.ndim:
            tolerances = np.ascontiguousarray(tolerances)
            options.species_tolerances = tolerances.ctypes.data
        results = [status, steps, rejected, numbers["step"], end, mean, heat]
        sources = [whole.get("species_sources"), numbers.get("energy_source")]
        state = [numbers["temperature"], numbers["fixed"], whole["mass_fractions"], numbers["time_step"]]
        self._advance_in_parts([*state, state[0], state[2]], sources, results, options, int(np.prod(points)), progress)
        energy = numbers["temperature"] if self._is_told_by_energy else None
        fractions, mean = (np.moveaxis(field, 0, self.species_axis) for field in (whole["mass_fractions"], mean))
        found = (end, fractions, status, steps, rejected, numbers["step"], mean, heat, energy)
        # Arrays without axes become numbers.
        result = Advanced(*(field if field is None else field[()] for field in found))
        if on_failure == "raise" and np.any(status):
            raise AdvanceError(result)
        return result

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
            failed = self._advance(self._context, *pointers, given, kept, ctypes.byref(options), *numbers, None, None)
            if failed:
                raise RuntimeError(self._text(failed).decode())
            if progress:
                _show(first + count, points, time.monotonic() - begun)

    def __del__(self):
        if getattr(self, "_context", None):
            self._destroy(self._context)

    def __repr__(self) -> str:
        return f"<singe.Gas {self.report['mechanism']}: {', '.join(self.kernels)}>"


def _numbers(name, given, dtype="float64"):
    """An array of numbers."""
    import numpy as np

    try:
        if given is None or isinstance(given, (str, bytes)):
            raise TypeError
        return np.asarray(given, dtype=dtype)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {given!r:.60}: give a number, or an array of numbers") from None


def _shape_of_points(shapes):
    """The shape that the shapes by name give together."""
    import numpy as np

    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        raise ValueError(f"the points have different shapes: {shapes}") from None


def _by_rows(field, rows, points):
    """A field with ``rows`` axes of rows, 0 or 1, at all points. Axes of points that it lacks are its first ones, behind the rows."""
    import numpy as np

    lacking = len(points) - (field.ndim - rows)
    field = field.reshape(field.shape[:rows] + (1,) * lacking + field.shape[rows:])
    return np.broadcast_to(field, field.shape[:rows] + points)


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
    """What became of reactors, in arrays of the shape of the points: ``temperature`` (K) and ``mass_fractions`` (one axis more, by species) at the end;
    ``status``, 0 where a point is done, 1 where it took too many steps, 2 where no step was short enough, 3 where its input is no
    state (a point that is not done keeps its state); ``steps``, of which ``rejected`` were too long; ``step`` (s), what a point would
    go on with; over the time step ``mean_rates`` (1/s, shaped as ``mass_fractions``), the changes of mass fractions by reactions, and ``heat_release``
    (W/kg), by enthalpies at 298.15 K; with states of enthalpies or energies these at the end, ``energy`` (J/kg)."""

    temperature: numpy.ndarray
    mass_fractions: numpy.ndarray
    status: numpy.ndarray
    steps: numpy.ndarray
    rejected: numpy.ndarray
    step: numpy.ndarray
    mean_rates: numpy.ndarray
    heat_release: numpy.ndarray
    energy: numpy.ndarray | None


class AdvanceError(RuntimeError):
    """Some reactors are not done. ``result`` is the :class:`Advanced` of all points, in which those are as they were."""

    result: Advanced
    _REASONS = {1: "it took too many steps", 2: "no step was short enough", 3: "its input is no state"}

    def __init__(self, result: Advanced) -> None:
        import numpy as np

        status = np.asarray(result.status)
        first = tuple(int(place[0]) for place in np.nonzero(np.atleast_1d(status)))
        code = int(np.atleast_1d(status)[first])
        place = f" {first if len(first) > 1 else first[0]}" if status.ndim else ""
        reason = self._REASONS.get(code, "it failed")
        super().__init__(
            f"{np.count_nonzero(status)} of {status.size} reactors are not done; point{place} has status {code}: {reason}. The exception's "
            'result has what became of all; on_failure="return" gives it without an exception'
        )
        self.result = result


@dataclass(frozen=True)
class Array:
    """``rows`` 1 is an array of points; else species or quantities come first, then points."""

    name: str
    rows: int
    output: bool
    #: ``"single"`` where it holds numbers in single precision.
    io: str = "double"


class Kernel:
    """One kernel. Call it with a field for each of ``inputs``, by name or in order: an array of any shape, which is the shape of the points, or
    where the input has a row for each species one axis more (first, or last with ``species_axis=-1``). Shapes are broadcast, so that a number
    stands for all points. Compositions may be given by name (:meth:`Gas.fractions`). The result has the shape of the points, with one
    axis more where it has several quantities, in the units of the C header."""

    def __init__(self, library: ctypes.CDLL, report: dict[str, Any], gas: Gas, text: Any) -> None:
        self.name: str = report["kernel"]
        self.arrays = [Array(**array) for array in report["arrays"]]
        self.inputs: Sequence[Array] = [array for array in self.arrays if not array.output]
        self._launch = getattr(library, f"{report['symbol']}_launch")
        pointers = [ctypes.c_void_p] * len(self.arrays)
        self._launch.argtypes = [ctypes.c_void_p, *pointers, ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
        # The context lives as long as a kernel that needs it.
        self._gas = gas
        self._text = text

    def __call__(self, *positional: Field, **named: Field) -> numpy.ndarray | tuple[numpy.ndarray, ...]:
        import numpy as np

        given = dict(zip((array.name for array in self.inputs), positional))
        if len(positional) > len(self.inputs) or given.keys() & named.keys():
            raise TypeError(f"{self.name} takes {self._names()}, each once")
        given.update(named)
        if given.keys() != {array.name for array in self.inputs}:
            raise TypeError(f"{self.name} takes {self._names()}")
        axis = self._gas.species_axis
        fields = {}
        for array in self.inputs:
            name, value, dtype = array.name, given[array.name], "float32" if array.io == "single" else "float64"
            is_by_species = array.rows > 1
            fields[name] = self._gas._by_species(name, value, array.rows, dtype) if is_by_species else _numbers(name, value, dtype)
        shapes = {array.name: fields[array.name].shape[int(array.rows > 1) :] for array in self.inputs}
        shape = _shape_of_points(shapes)
        points = int(np.prod(shape))
        # Whole rows, one after the other: a row of an array is a field.
        whole = []
        for array in self.arrays:
            rows = () if array.rows == 1 else (array.rows,)
            if array.output:
                whole.append(np.empty(rows + shape, dtype=np.float32 if array.io == "single" else np.float64))
                continue
            whole.append(np.ascontiguousarray(_by_rows(fields[array.name], len(rows), shape)))
        pointers = [field.ctypes.data for field in whole]
        status = self._launch(self._gas._context, *pointers, points, points, None)
        if status:
            raise RuntimeError(self._text(status).decode())
        results = [
            # An array without axes becomes a number.
            np.moveaxis(field, 0, axis) if array.rows > 1 else field[()]
            for array, field in zip(self.arrays, whole)
            if array.output
        ]
        return results[0] if len(results) == 1 else tuple(results)

    def __repr__(self) -> str:
        return f"<singe.Kernel {self.name}({self._names()})>"

    def _names(self):
        return ", ".join(array.name for array in self.inputs)
