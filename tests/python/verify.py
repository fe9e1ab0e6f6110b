"""Proofs of PTX, and of objects that stand for those of Triton, Numba and CuPy.

    python3 tests/python/verify.py FOLDER      FOLDER is the project's
"""

import contextlib
import io
import sys
from pathlib import Path
from types import SimpleNamespace

import singe

check = Path(sys.argv[1]) / "tests/check"
wrong, right = ((check / name).read_text() for name in ("softmax.ptx", "repaired.ptx"))
launch = {"block": 256, "args": ["pointer", "pointer", 1000]}


def verify(kernel, **given):
    with contextlib.redirect_stderr(io.StringIO()):
        return singe.verify(kernel, **{**launch, **given})


def message(call, kind):
    try:
        call()
    except kind as error:
        return str(error)
    raise SystemExit("a wrong call was taken")


# Texts, paths, bytes and lists.
for kernel in (right, right.encode(), check / "repaired.ptx", str(check / "repaired.ptx"), [right, check / "repaired.ptx"]):
    proof = verify(kernel)
    assert proof and proof.status == "proven" and not proof.findings, proof
    assert len(proof.verdicts) == (2 if isinstance(kernel, list) else 1)
race = verify(wrong)
assert not race and race.status == "wrong" and race.exit_code == 3, race
finding = next(one for one in race.findings if one["rule"] == "race")
places = {place["line"] for access in finding["accesses"] for place in access["source"]}
assert len(finding["accesses"]) == 2 and finding["interleaving"] and places >= {27, 32}, (finding, places)
assert "race" in repr(race) and "wrong" in repr(race)
assert verify(wrong, fail_on="open"), "other verdicts may fail"
# The file of the source lies beside the PTX, so that its line is quoted.
quoted = str(verify(check / "softmax.ptx"))
assert "softmax.cu:32: if (lane == 0) part[warp] = sum;" in quoted, quoted

# Parameters by name, arrays, grids.
named = verify(right, args={"n": 1000}, names=["out", "in", "n"], grid=(2, 3))
assert named.verdicts[0]["launch"]["grid"] == [2, 3, 1] and named.status == "proven", named
array = SimpleNamespace(__cuda_array_interface__={})
tensor = SimpleNamespace(data_ptr=lambda: 0)
assert verify(right, args=[array, tensor, 1000])
assert "no value" in message(lambda: verify(right, args=[object(), tensor, 1000]), TypeError)

# Triton knows its launch; in older versions the kernel has it.
triton = SimpleNamespace(asm={"ptx": right, "cubin": b""}, metadata=SimpleNamespace(num_warps=8, shared=0))
old = SimpleNamespace(asm={"ptx": wrong}, num_warps=8, shared=128)
proof = verify(triton, block=None)
assert proof and proof.verdicts[0]["launch"]["block"] == [256, 1, 1], proof
assert verify(old, block=None).verdicts[0]["launch"] == {"grid": [1, 1, 1], "block": [256, 1, 1], "shared": 128}
# Numba has a text for each signature.
numba = SimpleNamespace(inspect_asm=lambda: {("float32[::1]",): right, ("float64[::1]",): right})
assert len(verify(numba).verdicts) == 2
assert "not compiled yet" in message(lambda: verify(SimpleNamespace(inspect_asm=dict)), ValueError)
# CuPy has the code that it was given.
assert verify(SimpleNamespace(code=right))
assert "CUDA C++" in message(lambda: verify(SimpleNamespace(code='extern "C" __global__ void k() {}')), TypeError)
assert "has no PTX" in message(lambda: verify(object()), TypeError)

# What cannot be read is an error with its diagnostics.
assert "has no parameter m" in message(lambda: verify(right, args={"m": 1}), singe.Error)
broken = message(lambda: verify(right.replace(".reg .pred", ".reg .prod")), singe.Error)
assert "ptx::type" in broken and "kernel0.ptx" in broken, broken
assert "verify::no-launch" in message(lambda: verify(right, block=None), singe.Error)
print("verified")
