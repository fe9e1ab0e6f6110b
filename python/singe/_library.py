"""Shared libraries of kernels, built with the C++ compiler and kept by the content of what they were built of.

They lie where the command keeps its outcomes: in the folder that ``SINGE_CACHE`` names, else in ``singe`` of ``XDG_CACHE_HOME`` or of
``~/.cache``; ``SINGE_CACHE=off`` keeps none. A library is taken only where the digest beside it is that of its bytes, and where nobody but
the user may write it, the digest and their folder.
"""

import ctypes
import hashlib
import os
import platform
import shlex
import stat
import subprocess
import tempfile
from pathlib import Path

from ._command import Error

# As in the project that ``--emit host`` writes.
_FLAGS = ["-std=c++17", "-O3", "-march=native", "-fno-math-errno", "-Wno-psabi", "-fPIC", "-shared"]

# So many libraries are kept: those that were loaded last.
_MOST = 64


def listed(folder, project):
    """The C++ files that the last run wrote for a project, by its manifest: what else lies in the folder may be older, or another project's."""
    manifest = (folder / f"{project}.manifest").read_text(encoding="utf-8")
    own, *_ = manifest.split("#", 1)
    names = (line.split("  ", 1)[1] for line in own.splitlines() if line)
    return [folder / name for name in names if name.startswith(f"{project}_") and name.endswith(".cpp")]


def library(sources, folder, keep, options=()):
    """Builds the sources in a folder, or takes what was built of the same, and loads it. Options are for the compiler: folders of headers,
    definitions, libraries."""
    found = _found(sources, folder, keep, options)
    _use_one_thread_after_fork(found)
    return found


def _use_one_thread_after_fork(library):
    """The threads of GCC's OpenMP do not come along when a process forks, as multiprocessing does on Linux: its next parallel region would wait for
    them for ever. A region of one thread waits for none."""
    threads = getattr(library, "omp_set_num_threads", None)
    if threads is not None and hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: threads(1))


def _found(sources, folder, keep, options):
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    cache = _folder() if keep else None
    if cache is None:
        return ctypes.CDLL(str(_build(compiler, sources, folder, options)))
    kept = cache / f"{_key(compiler, sources, folder)}.so"
    found = _load(kept)
    if found is None:
        built = _build(compiler, sources, folder, options)
        _keep(built, kept)
        found = _load(kept) or ctypes.CDLL(str(built))
    return found


def _build(compiler, sources, folder, options):
    made = folder.resolve() / "libsinge_kernels.so"
    build = [*compiler, *_FLAGS, "-o", str(made), *map(str, sources), *options]
    # A compiler without OpenMP makes kernels of one thread; one that fails again says why.
    for threads in (["-fopenmp"], []):
        try:
            done = subprocess.run([*build, *threads], capture_output=True, text=True, errors="replace", check=False)
        except OSError as error:
            raise Error(1, [], f"the C++ compiler {compiler[0]} cannot be run: {error}; name another one with CXX") from None
        if done.returncode == 0:
            return made
    raise Error(1, [], f"the C++ compiler {' '.join(compiler)} refused the kernels:\n{done.stderr.strip()}")


def _folder():
    given = os.environ.get("SINGE_CACHE")
    if given:
        return None if given == "off" else Path(given)
    caches = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(caches):
        return Path(caches) / "singe"
    home = os.environ.get("HOME")
    return Path(home) / ".cache" / "singe" if home else None


def _key(compiler, sources, folder):
    """A digest of the sources with their headers, the compiler with its flags, and the processor that it compiles for."""
    digest = hashlib.sha256()

    def add(data):
        digest.update(len(data).to_bytes(8, "little") + data)

    for source in sources:
        add(source.name.encode())
    for file in sorted(folder.iterdir()):
        if file.suffix in (".cpp", ".h", ".hpp"):
            add(file.name.encode())
            add(file.read_bytes())
    try:
        version = subprocess.run([*compiler, "--version"], capture_output=True, check=False).stdout
    except OSError:
        version = b""
    for part in (" ".join([*compiler, *_FLAGS]).encode(), version, _processor()):
        add(part)
    return digest.hexdigest()


def _processor():
    """What tells one processor from another, as code for this one may not run on the next."""
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    kinds = ("model name", "flags", "Features", "CPU part")
    about = {line for line in lines if line.split(":")[0].strip() in kinds}
    return "\n".join([platform.machine(), platform.processor(), *sorted(about)]).encode()


def _load(kept):
    """The library, where it is there and as it was kept."""
    try:
        if not all(map(_is_own, (kept.parent, kept, kept.with_suffix(".sha256")))):
            return None
        digest = kept.with_suffix(".sha256").read_text().strip()
        if hashlib.sha256(kept.read_bytes()).hexdigest() != digest:
            return None
        found = ctypes.CDLL(str(kept))
        os.utime(kept)
        return found
    except OSError:
        return None


def _is_own(path):
    """Whether nobody but the user may write it. Windows tells no owner by a number."""
    about = path.stat()
    return not hasattr(os, "getuid") or (about.st_uid == os.geteuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _keep(built, kept):
    """Under temporary names first, so that nobody reads half of it. Where that fails the next run builds it again."""
    data = built.read_bytes()
    try:
        kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path, content in ((kept, data), (kept.with_suffix(".sha256"), hashlib.sha256(data).hexdigest().encode())):
            with tempfile.NamedTemporaryFile(dir=kept.parent, prefix=".new-", delete=False) as file:
                file.write(content)
            os.replace(file.name, path)
        old = sorted(kept.parent.glob("*.so"), key=lambda path: path.stat().st_mtime, reverse=True)[_MOST:]
        for path in old:
            path.unlink(missing_ok=True)
            path.with_suffix(".sha256").unlink(missing_ok=True)
    except OSError:
        pass
