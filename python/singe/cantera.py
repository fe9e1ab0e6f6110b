"""Gases of Cantera whose rates and transport come from our kernels.

    import cantera
    import singe.cantera
    gas = singe.cantera.accelerate(cantera.Solution("gri30.yaml"))

What it gives is a ``Solution`` in every way; reactors and flames call compiled functions, not Python.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Sequence

from ._command import Error, PathLike
from ._command import compile as compile_mechanism
from ._library import library

if TYPE_CHECKING:
    import cantera

_RATES = "production-rates,forward-rates,reverse-rates"
_TRANSPORT = ["viscosity", "conductivity", "diffusion"]

# Where headers come from.
_HELP = (
    "name the folders of the C++ headers of Cantera, Eigen and fmt with include=[…] or SINGE_CANTERA_INCLUDE: conda's libcantera-devel "
    "has them, or the folder include of Cantera's source distribution with the packages libeigen3-dev and libfmt-dev"
)


def accelerate(
    gas: cantera.Solution, *, include: PathLike | Sequence[PathLike] | None = None, transport: bool | None = None, **flags: Any
) -> cantera.Solution:
    """A new ``Solution`` with the species, reactions and state of ``gas``, whose rates come from our kernels, and its mixture-averaged
    transport, too, where ``gas`` has that (``transport=False`` leaves it to Cantera). Its fits are CHEMKIN's, as those of Cantera's model
    ``mixture-averaged-CK``.

    ``include`` names folders with the C++ headers of the installed version of Cantera, of Eigen and of fmt, where they lie neither in the
    environment of Python nor in the system's; without it SINGE_CANTERA_INCLUDE has such a list. Other keywords are flags of the command,
    such as ``fit_tolerance=1e-6`` or ``no_cache=True``. Raises Error where the compiler refuses the gas, or headers are missing.
    """
    import cantera

    if gas.thermo_model != "ideal-gas":
        raise Error(1, [], f"the gas {gas.name} is {gas.thermo_model}; kernels are for ideal gases (ideal-gas)")
    if gas.kinetics_model != "bulk":
        raise Error(1, [], f"the rates of {gas.name} are {gas.kinetics_model}; kernels are for those of a gas in its volume (bulk)")
    if transport is None:
        transport = gas.transport_model in ("mixture-averaged", "mixture-averaged-CK")
    if transport and (gas.transport_model == "unity-Lewis-number" or "lewis_numbers" in flags):
        raise Error(1, [], "kernels take over mixture-averaged transport alone: diffusion by Lewis numbers is Cantera's (transport=False)")
    text = _as_text(gas)
    with tempfile.TemporaryDirectory(prefix="singe-") as folder:
        named = _register(text, Path(folder), _folders(include), transport, flags)
    made = cantera.Solution(yaml=text.replace("kinetics: bulk", f"kinetics: {named}", 1), name=gas.name)
    if transport:
        made.transport_model = named
    made.state = gas.state
    return made


def _as_text(gas):
    """The gas as Cantera writes it, with all digits, and in one state, so that what is kept does not depend on that."""
    state = gas.state
    try:
        gas.TPX = 300.0, 101325.0, {gas.species_names[0]: 1.0}
        return gas.write_yaml(precision=17, header=False)
    finally:
        gas.state = state


def _register(text, folder, include, transport, flags):
    """Compiles the functions, builds them with the classes that Cantera calls, and returns the name by which it knows these."""
    import cantera

    mechanism = folder / "gas.yaml"
    mechanism.write_text(text, encoding="utf-8")
    kernels = ["chemistry", "progress", *(_TRANSPORT if transport else [])]
    made = folder / "functions"
    compile_mechanism(mechanism, name="gas", target="cpu", emit="device", kernel=kernels, outputs=_RATES, output=made, **flags)
    functions = (made / "gas_device.h").read_text(encoding="utf-8")
    classes = (Path(__file__).parent / "_cantera.cpp").read_text(encoding="utf-8")
    # The library is kept by its sources' content, and names the module that it is linked with.
    module = f"// Cantera {cantera.__version__}: {cantera._cantera.__file__}"
    about = "\n".join([module, str(transport), functions, classes])
    named = f"singe-{hashlib.sha256(about.encode()).hexdigest()[:16]}"
    defined = ["#define GAS gas_device", f'#define NAME "{named}"', *(["#define TRANSPORT"] if transport else [])]
    source = made / "classes.cpp"
    source.write_text("\n".join([module, *defined, '#include "gas_device.h"', classes]), encoding="utf-8")
    # The extension module has Cantera's library within it. Eigen's arrays come from either side and go on the other, so that both
    # must align them alike, whatever the vectors of this processor.
    options = [*_headers(include, folder), "-DNDEBUG", "-DFMT_HEADER_ONLY", "-DEIGEN_MAX_ALIGN_BYTES=16", cantera._cantera.__file__]
    library([source], made, not flags.get("no_cache"), options).singe_register()
    return named


def _folders(include):
    """Where headers may lie, first those that were named."""
    if include is None:
        include = [part for part in os.environ.get("SINGE_CANTERA_INCLUDE", "").split(os.pathsep) if part]
    elif isinstance(include, (str, os.PathLike)):
        include = [include]
    return [*map(Path, include), Path(sys.prefix, "include"), Path("/usr/include")]


def _headers(folders, scratch):
    """The compiler's options for headers. A source distribution has its configuration as a template, of which one is made."""
    import cantera

    found = next((folder for folder in folders if (folder / "cantera/kinetics/BulkKinetics.h").is_file()), None)
    if found is None:
        raise Error(1, [], f"no folder of {', '.join(map(str, folders))} has cantera/kinetics/BulkKinetics.h; {_HELP}")
    given = [found / "cantera/base" / name for name in ("config.h", "config.h.in")]
    configuration = next((file.read_text(encoding="utf-8") for file in given if file.is_file()), None)
    if configuration is None:
        raise Error(1, [], f"{given[0]} is absent, and so is {given[1].name}; {_HELP}")
    own = scratch / "include"
    (own / "cantera/base").mkdir(parents=True)
    configuration = re.sub(r"(?m)^#cmakedefine01 (\w+)", r"#define \1 0", configuration)
    (own / "cantera/base/config.h").write_text(configuration, encoding="utf-8")
    version = re.search(r'#define CANTERA_VERSION "(.*)"', configuration)
    if version is None or version[1] != cantera.__version__:
        of = version[1] if version else "another version"
        raise Error(1, [], f"the headers in {found} are of Cantera {of}, the module is {cantera.__version__}; {_HELP}")
    eigen = [folder / "eigen3" for folder in folders if (folder / "eigen3").is_dir()]
    return [f"-I{folder}" for folder in [own, own / "cantera/base", *folders[:-1], *eigen] if folder.is_dir()]
