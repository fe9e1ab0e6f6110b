"""The command ``singe``, its reports as dictionaries and its diagnostics as exceptions."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

PathLike = Union[str, "os.PathLike[str]"]


class Error(Exception):
    """What ``singe`` refused. ``exit_code`` is the command's, ``diagnostics`` is a list of dictionaries with id, message, place
    and help, as ``singe check --json`` prints them. Its text is that of the diagnostics: where, what, and what to do."""

    exit_code: int
    diagnostics: "list[dict[str, Any]]"

    def __init__(self, exit_code: int, diagnostics: "list[dict[str, Any]]", text: str) -> None:
        super().__init__(text)
        self.exit_code = exit_code
        self.diagnostics = diagnostics


@dataclass(frozen=True)
class Compilation:
    """``report`` is what ``report.json`` holds; the files lie in ``folder``."""

    report: "dict[str, Any]"
    folder: Path


def compile(mechanism: PathLike, *, output: "PathLike | None" = None, **flags: Any) -> Compilation:
    """Compiles a mechanism: ``singe MECHANISM --output FOLDER``, with other flags as keywords. A dictionary gives a flag once for each of its
    items: ``set={"rho": "chemistry:TRY"}``.

    Raises Error where the input is wrong or a kernel fails its proof or its verification; then nothing is written.
    """
    folder = Path(output) if output is not None else None
    words = [os.fspath(mechanism), *_words(flags)]
    if folder is None:
        folder = Path(f"singe-{flags.get('name') or _name(Path(mechanism))}")
    report = _json([*words, "--json", "--output", os.fspath(folder)])
    return Compilation(report, folder)


def check(mechanism: PathLike, **flags: Any) -> "list[dict[str, Any]]":
    """Everything that is wrong with a mechanism, as a list of dictionaries: ``singe check MECHANISM``."""
    try:
        found = _json(["check", os.fspath(mechanism), *_words(flags), "--json"])
    except Error as error:
        return error.diagnostics
    return found["diagnostics"] if isinstance(found, dict) else found


def doctor() -> "dict[str, Any]":
    """Which compilers are there, for which targets, and what is missing: ``singe doctor``."""
    return _json(["doctor", "--json"])


def command() -> str:
    """The path of the command: SINGE_COMMAND, else the one that was installed with this module, else that of the PATH."""
    given = os.environ.get("SINGE_COMMAND")
    if given:
        return given
    name = "singe" + (sysconfig.get_config_var("EXE") or "")
    beside = Path(sysconfig.get_path("scripts")) / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if not found:
        raise FileNotFoundError("there is no command singe: install the package, or set SINGE_COMMAND")
    return found


def _words(flags):
    words = []
    for name, value in flags.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif isinstance(value, dict):
            for key, one in value.items():
                words += [flag, f"{key}={one}"]
        elif isinstance(value, (list, tuple)):
            words += [flag, ",".join(str(one) for one in value)]
        elif value is not None and value is not False:
            words += [flag, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    return words


def _name(mechanism):
    """The command's own choice of a folder."""
    return mechanism.parent.name if mechanism.stem == "chem" and mechanism.parent.name else mechanism.stem


def _text(diagnostic):
    """A diagnostic in lines: id and message, its place, and what to do."""
    lines = [f"{diagnostic.get('id')}: {diagnostic.get('message')}"]
    if diagnostic.get("file"):
        lines.append(f"  at {diagnostic['file']}:{diagnostic.get('line')}:{diagnostic.get('column')}")
    if diagnostic.get("help"):
        lines.append(f"  help: {diagnostic['help']}")
    return "\n".join(lines)


def _json(words):
    done = subprocess.run([command(), *words], capture_output=True, text=True, encoding="utf-8", check=False)
    try:
        printed = json.loads(done.stdout)
    except json.JSONDecodeError:
        raise Error(done.returncode, [], done.stderr.strip() or done.stdout.strip()) from None
    if done.stderr:
        print(done.stderr, end="", file=sys.stderr)
    # 5: all is made and written, and the report tells which machine code was not run.
    if done.returncode not in (0, 5):
        diagnostics = printed.get("diagnostics", []) if isinstance(printed, dict) else printed
        text = "\n".join(map(_text, diagnostics))
        raise Error(done.returncode, diagnostics, text or f"singe ended with {done.returncode}")
    return printed
