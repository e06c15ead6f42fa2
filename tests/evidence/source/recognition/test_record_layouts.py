"""Records of which the source shows the fields that a kernel uses: layouts for them, in two forms."""

from __future__ import annotations

from pathlib import Path

import pytest
from units import unit_of

from advisor.model.compilation_unit import ArgumentTypes


def typing(folder: Path, statements: str, parameters: str = "r, out", head: str = "") -> ArgumentTypes:
    body = "".join(f"    {line}\n" for line in statements.splitlines())
    program = (
        f"from numba import cuda\n{head}@cuda.jit\ndef kernel({parameters}):\n    i = cuda.grid(1)\n{body}"
    )
    made = unit_of(folder, program=program)
    assert made.unresolved == ()
    return made.candidates[0]


@pytest.mark.parametrize(
    ("statements", "record"),
    [
        ("out[i] = r[i]['x']", "from_dtype([('x', '<f4')], False)[::1]"),
        ("out[i] = r['x'][i]", "from_dtype([('x', '<f4')], False)[::1]"),
        ("out[i] = r[i].x", "from_dtype([('x', '<f4')], False)[::1]"),
        ("out[i] = r.x[i]", "from_dtype([('x', '<f4')], False)[::1]"),
        ("one = r[i]\nout[one['n']] = one['x']", "from_dtype([('n', '<i4'), ('x', '<f4')], False)[::1]"),
        ("for k in range(r['n'][i]):\n    out[k] = 0", "from_dtype([('n', '<i4')], False)[::1]"),
        ("out[r[i].n] = 0", "from_dtype([('n', '<i4')], False)[::1]"),
        ("out[i] = r['x'][i, 0] + r[i, 1]['y']", "from_dtype([('x', '<f4'), ('y', '<f4')], False)[:,::1]"),
        ("out[i] = r[i]['x'][2]", "from_dtype([('x', '<f4', (32,))], False)[::1]"),
        ("out[i] = r['x']", "from_dtype([('x', '<f4')], False)"),
        ("r[i]['z'] = 1j * out[i]", "from_dtype([('z', '<c8')], False)[::1]"),
    ],
)
def test_the_uses_of_fields_show_a_layout(tmp_path: Path, statements: str, record: str) -> None:
    assert typing(tmp_path, statements).types[0] == record


def test_a_device_function_shows_fields_of_what_it_is_given(tmp_path: Path) -> None:
    head = "@cuda.jit(device=True)\ndef place(one):\n    return one['n']\n"
    found = typing(tmp_path, "out[place(r[i])] = r[i]['x']", head=head)
    assert found.types[0] == "from_dtype([('n', '<i4'), ('x', '<f4')], False)[::1]"


def test_the_alternative_has_other_places_for_the_same_fields(tmp_path: Path) -> None:
    found = typing(tmp_path, "out[r[i]['n']] = r[i]['x']")
    assert found.alternative == (
        "from_dtype([('further_1', '<f8'), ('further_2', '<i4'), ('x', '<f4'), ('n', '<i4')], False)[::1]",
        "float32[::1]",
    )
    assert found.assumed == ("r", "out")
    assert found.assumptions[-1] == (
        "Array parameter r is taken to hold packed records of n (int32), x (float32); what is otherwise with "
        "further fields is left out."
    )


def test_records_of_records_stay_unknown(tmp_path: Path) -> None:
    program = "from numba import cuda\n@cuda.jit\ndef kernel(r, out):\n    out[0] = r[0]['p']['x']\n"
    made = unit_of(tmp_path, program=program)
    assert made.candidates == ()
    assert made.unresolved == ("r (its elements are records of records: the field p is one)",)


def test_arrays_and_thread_indices_hold_no_records(tmp_path: Path) -> None:
    found = typing(tmp_path, "out[cuda.threadIdx.x] = r.shape[0] + r.size + r[cuda.blockIdx.x].real")
    assert found.types[0] == "complex64[::1]"
    assert found.alternative == ()


def test_a_generator_of_random_numbers_may_stand_in_a_tuple(tmp_path: Path) -> None:
    head = "from numba.cuda.random import xoroshiro128p_uniform_float32\n"
    found = typing(tmp_path, "s = (r[i],)\nout[i] = xoroshiro128p_uniform_float32(s, 0)", head=head)
    assert found.types[0] == "xoroshiro128p_type[::1]"
