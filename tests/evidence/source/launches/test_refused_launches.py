"""Launches and signatures that Numba refuses whatever runs, and those that it takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

KERNEL = """
@cuda.jit{signature}
def k(a, b, f):
    i = cuda.grid(1)
    if i < a.size:
        b[i] = f * a[i]

n = 100000
"""
FLOATS = {
    "k[n / 256, 256](a, b, 2.0)": "n / 256",
    "blocks = (n + 255) / 256\nk[blocks, 256](a, b, 2.0)": "blocks",
    "blocks = np.ceil(n / 256)\nk[blocks, 256](a, b, 2.0)": "blocks",
    "k[np.ceil(n / 256), 256](a, b, 2.0)": "np.ceil(n / 256)",
    "k[391, 256.0](a, b, 2.0)": "256.0",
    "k[n / 256 + 1, 256](a, b, 2.0)": "n / 256 + 1",
    "k[(4, n / 256), (16, 16)](a, b, 2.0)": "n / 256",
    "grid = (n / 16, n // 16)\nk[grid, (16, 16)](a, b, 2.0)": "n / 16",
    "grid, block = n / 256, 256\nk[grid, block](a, b, 2.0)": "grid",
    "k[max(n / 256, 1.0), 256](a, b, 2.0)": "max(n / 256, 1.0)",
}
WHOLE = (
    "k[n // 256, 256](a, b, 2.0)",
    "k[int(n / 256), 256](a, b, 2.0)",
    "k[math.ceil(n / 256), 256](a, b, 2.0)",
    "k[int(np.ceil(n / 256)), 256](a, b, 2.0)",
    "blocks = n / 256\nblocks = int(blocks)\nk[blocks, 256](a, b, 2.0)",
    "k[np.ceil(n / 256).astype(np.int32), 256](a, b, 2.0)",
    "k[round(n / 256), 256](a, b, 2.0)",
    "k[blocks, 256](a, b, 2.0)",
    "k[391, 256, 0, 4 * 256](a, b, 2.0)",
    "k[max(n / 256, 1), 256](a, b, 2.0)",
    "k.forall(n)(a, b, 2.0)",
)
MISFITS = {
    '("void(float32[:], float32[:])")': "types for 2 parameters",
    '("(float32[:], float32[:], float32, int32)")': "types for 4 parameters",
    "((numba.float32[:], numba.float32[:]))": "types for 2 parameters",
    "(numba.void(numba.float32[:], numba.float32[:]))": "types for 2 parameters",
    '("float32(float32[:], float32[:], float32)")': "a result, `float32`",
}
FITS = (
    "",
    '("void(float32[:], float32[:], float32)")',
    '("(float32[:], float32[:], float32)")',
    "((numba.float32[:], numba.float32[:], numba.float32))",
    "(numba.void(numba.float32[:], numba.float32[:], numba.float32))",
    '(["void(float32[:], float32[:])", "void(float32[:], float32[:], float32)"])',
    "(signature)",
    '("void(own_type, own_type)")',
    "(fastmath=True)",
)


@pytest.mark.parametrize("launch", FLOATS)
def test_a_float_is_no_number_of_blocks_or_threads(tmp_path: Path, launch: str) -> None:
    (found,) = records(tmp_path, "launch", KERNEL.format(signature="") + launch + "\n")
    assert value(found, "refusal") == f"`{FLOATS[launch]}` is a float, and no whole number"


@pytest.mark.parametrize("launch", WHOLE)
def test_whole_numbers_and_what_may_be_some(tmp_path: Path, launch: str) -> None:
    (found,) = records(tmp_path, "launch", KERNEL.format(signature="") + launch + "\n")
    assert value(found, "refusal") == ""


@pytest.mark.parametrize(
    "line",
    ['print "done"', "try:\n    pass\nexcept IOError, error:\n    pass", "if n:\n\tn = 1\n        n = 2"],
)
def test_a_quotient_of_python_2_may_be_whole(tmp_path: Path, line: str) -> None:
    text = KERNEL.format(signature="") + "k[n / 256, 256](a, b, 2.0)\n"
    (found,) = records(tmp_path, "launch", text + f"\n{line}\n")
    assert value(found, "refusal") == ""
    (found,) = records(tmp_path, "launch", text + "\nprint(\n")
    assert value(found, "refusal")
    (found,) = records(
        tmp_path, "launch", KERNEL.format(signature="") + f"k[391, 256.0](a, b, 2.0)\n{line}\n"
    )
    assert value(found, "refusal")


def test_arguments_have_no_names(tmp_path: Path) -> None:
    (found,) = records(tmp_path, "launch", KERNEL.format(signature="") + "k[391, 256](a, b, f=2.0)\n")
    assert value(found, "refusal") == "a launch takes no arguments by their names"


@pytest.mark.parametrize("signature", MISFITS)
def test_a_signature_that_does_not_fit(tmp_path: Path, signature: str) -> None:
    text = "import numba\n" + KERNEL.format(signature=signature) + "k[391, 256](a, b, 2.0)\n"
    (found,) = records(tmp_path, "kernel", text)
    assert MISFITS[signature] in str(value(found, "signature_fault"))


@pytest.mark.parametrize("signature", FITS)
def test_a_signature_that_may_fit(tmp_path: Path, signature: str) -> None:
    text = "import numba\n" + KERNEL.format(signature=signature) + "k[391, 256](a, b, 2.0)\n"
    (found,) = records(tmp_path, "kernel", text)
    assert value(found, "signature_fault") == ""


@pytest.mark.parametrize(("grid", "block"), [(1.0, 32), (4, 32.0), ((4, 2.5), 32)])
def test_numba_itself_refuses_floats(grid: object, block: object) -> None:
    errors = pytest.importorskip("numba.cuda.errors")
    with pytest.raises(TypeError, match="integers"):
        errors.normalize_kernel_dimensions(grid, block)


def test_numba_itself_refuses_the_result_of_a_kernel() -> None:
    cuda = pytest.importorskip("numba.cuda")
    with pytest.raises(TypeError, match="void"):
        cuda.jit("float32(float32[:])")(lambda a: a[0])
