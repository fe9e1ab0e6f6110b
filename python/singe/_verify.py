"""Proofs of the synchronisation of GPU kernels: of PTX, and of what Triton, Numba and CuPy compiled.

The objects of these libraries are known by what they have, not by their classes, so that none of them need be installed.
"""

import json
import numbers
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ._command import Error, _text, _words, command


@dataclass(frozen=True)
class Verification:
    """The verdicts of all kernels, as ``singe ptx verify --json`` prints them. It is true if none of them fails:

    assert singe.verify(kernel, block=256)
    """

    verdicts: "list[dict[str, Any]]"
    exit_code: int = 0
    messages: str = field(default="", repr=False)

    @property
    def status(self) -> str:
        """The worst verdict: ``wrong``, ``open``, ``proven_if`` or ``proven``."""
        found = {verdict.get("status_of_new") for verdict in self.verdicts}
        return next((name for name in ("wrong", "open", "proven_if") if name in found), "proven")

    @property
    def findings(self) -> "list[dict[str, Any]]":
        """What stands between the kernels and their proofs: message, source lines, accesses and interleaving."""
        return [finding for verdict in self.verdicts for finding in verdict.get("findings", []) if not finding["known"]]

    def __bool__(self) -> bool:
        return self.exit_code == 0

    def __str__(self) -> str:
        lines = []
        for verdict in self.verdicts:
            lines.append(f"{verdict['kernel']}: {verdict['status'].replace('_', ' ')}")
            for finding in verdict.get("findings", []):
                lines.append(f"  {finding['message']}")
                shown = [place for place in finding["source"] if place["shown"]]
                lines += [f"    {place['file']}:{place['line']}: {place['excerpt'] or ''}".rstrip() for place in shown]
                lines += [f"    {step['what']} (line {step['line']})" for step in finding["interleaving"]]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<singe.Verification {self.status}>\n{self}"


def verify(kernel: Any, *, block=None, grid=1, shared=None, args=None, names=None, launch=None, **flags: Any) -> Verification:
    """Proves kernels free of deadlocks, unsafe reuse of barriers and races on shared memory, for one launch.

    ``kernel`` is PTX text, the path of a file that ``singe ptx verify`` takes, or an object with PTX: a compiled kernel of
    Triton (``.asm["ptx"]``), a dispatcher of Numba that was called or compiled (``.inspect_asm()``), a kernel of CuPy whose
    ``.code`` is PTX, or a list of these. ``block`` and ``grid`` are numbers of threads and CTAs in up to three dimensions, ``shared`` the
    bytes of shared memory that the launch adds; of Triton's kernels they are known. ``args`` are the values of the parameters, in order or by
    name (``names`` tells the names in order): numbers, ``"pointer"``, ``"ANY"``, or arrays, which are pointers. ``launch`` is a
    file of launches instead. Other flags of the command are keywords: ``fail_on="wrong"``, ``kernel="soft*"`` is ``only="soft*"``.

    Raises Error where the PTX cannot be read or the launch does not fit.
    """
    with tempfile.TemporaryDirectory() as folder:
        files, own_block, own_shared = _files(kernel, Path(folder))
        words = ["ptx", "verify", *files]
        if launch is not None:
            words += ["--launch", os.fspath(launch)]
        else:
            written = Path(folder) / "launch.toml"
            written.write_text(_launch(block or own_block, grid, own_shared if shared is None else shared, args, names), "utf-8")
            words += ["--launch", str(written)]
        if "only" in flags:
            flags["kernel"] = flags.pop("only")
        done = subprocess.run(
            [command(), *words, *_words(flags), "--json"], capture_output=True, text=True, encoding="utf-8", check=False
        )
    try:
        printed = json.loads(done.stdout)
    except json.JSONDecodeError:
        raise Error(done.returncode, [], done.stderr.strip() or done.stdout.strip()) from None
    refused = printed["diagnostics"] if isinstance(printed, dict) else [one["diagnostic"] for one in printed if "diagnostic" in one]
    if refused:
        raise Error(done.returncode, refused, "\n".join(map(_text, refused)))
    if done.stderr:
        print(done.stderr, end="", file=sys.stderr)
    return Verification(printed, done.returncode, done.stderr)


def ptx(kernel: Any) -> "list[str]":
    """The PTX texts of an object of Triton, Numba or CuPy, or of a text."""
    if isinstance(kernel, bytes):
        kernel = kernel.decode("utf-8", "replace")
    if isinstance(kernel, str):
        return [kernel]
    if isinstance(kernel, (list, tuple)):
        return [text for one in kernel for text in ptx(one)]
    asm = getattr(kernel, "asm", None)
    if asm is not None and "ptx" in asm:
        return ptx(asm["ptx"])
    if callable(getattr(kernel, "inspect_asm", None)):
        found = kernel.inspect_asm()
        texts = ptx(list(found.values()) if isinstance(found, dict) else found)
        if not texts:
            raise ValueError(f"{kernel!r} was not compiled yet: call it, or compile it for a signature")
        return texts
    code = getattr(kernel, "code", None)
    if isinstance(code, (str, bytes)):
        (text,) = ptx(code)
        if _is_ptx(text):
            return [text]
        raise TypeError(f"the code of {kernel!r} is CUDA C++: compile it to PTX, with cupy.cuda.compiler.compile_using_nvrtc or nvcc -ptx")
    raise TypeError(f"{kernel!r} has no PTX: give a text, a path, or an object with .asm['ptx'], .inspect_asm() or .code")


def _is_ptx(text):
    return ".version" in text and ".target" in text


def _files(kernel, folder):
    """The files to verify, and the block and the bytes of shared memory that the object knows."""
    is_path = isinstance(kernel, os.PathLike) or isinstance(kernel, str) and not _is_ptx(kernel)
    if is_path:
        return [os.fspath(kernel)], None, 0
    if isinstance(kernel, (list, tuple)):
        parts = [_files(one, folder) for one in kernel]
        alike = {part[1:] for part in parts}
        if len(alike) > 1:
            raise ValueError("these kernels have launches of their own: verify them one by one, or give launch=FILE")
        return [file for part in parts for file in part[0]], *(alike.pop() if alike else (None, 0))
    files = []
    for text in ptx(kernel):
        file = folder / f"kernel{len(os.listdir(folder))}.ptx"
        file.write_text(text, "utf-8")
        files.append(str(file))
    # Triton has the launch in the metadata, older versions in the kernel.
    metadata = getattr(kernel, "metadata", None)
    told = lambda name: metadata.get(name) if isinstance(metadata, dict) else getattr(metadata, name, getattr(kernel, name, None))
    warps, shared = told("num_warps"), told("shared")
    is_number = lambda value: isinstance(value, numbers.Integral)
    return files, 32 * int(warps) if is_number(warps) else None, int(shared) if is_number(shared) else 0


def _launch(block, grid, shared, args, names):
    """A file with one launch for all kernels."""
    lines = ["[[launch]]", f"grid = {_extent(grid)}", f"shared = {int(shared)}"]
    if block is not None:
        lines.append(f"block = {_extent(block)}")
    if names is not None:
        lines.append(f"names = {json.dumps(list(names))}")
    if isinstance(args, dict):
        lines.append("[launch.parameters]")
        lines += [f"{json.dumps(str(name))} = {_value(value)}" for name, value in args.items()]
    elif args is not None:
        lines.append(f"parameters = [{', '.join(map(_value, args))}]")
    return "\n".join(lines) + "\n"


def _extent(value):
    values = [value] if isinstance(value, numbers.Integral) else list(value)
    return json.dumps([int(one) for one in values])


def _value(value):
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if hasattr(value, "__cuda_array_interface__") or callable(getattr(value, "data_ptr", None)):
        return '"pointer"'
    raise TypeError(f"{value!r} is no value of a parameter: give a number, an array of the GPU, \"pointer\" or \"ANY\"")
