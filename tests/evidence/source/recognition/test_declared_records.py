"""Records of which the workspace declares the type: their layout is that of the declaration."""

from __future__ import annotations

from pathlib import Path

import pytest
from units import unit_of

from advisor.model.compilation_unit import ArgumentTypes, CompilationUnit

XY = "[('x', '<f4'), ('y', '<f4')]"
# What is taken where nothing declares the fields of a kernel that reads r[i]['x'].
ALONE = "from_dtype([('x', '<f4')], False)[::1]"


def unit(
    folder: Path,
    head: str,
    statements: str = "out[i] = r[i]['x']",
    decorator: str = "@cuda.jit",
    **others: str,
) -> CompilationUnit:
    program = (
        f"from numba import cuda\nimport numba\nimport numpy as np\n{head}\n"
        f"{decorator}\ndef kernel(r, out):\n    i = cuda.grid(1)\n    {statements}\n"
    )
    made = unit_of(folder, program=program, **others)
    assert made.unresolved == ()
    return made


def typing(folder: Path, head: str, statements: str = "out[i] = r[i]['x']", **others: str) -> ArgumentTypes:
    return unit(folder, head, statements, **others).candidates[0]


@pytest.mark.parametrize(
    ("head", "record"),
    [
        ("point = np.dtype([('x', np.float32), ('y', np.float32)])", f"from_dtype({XY}, False)"),
        ("point = np.dtype([('x', 'f4'), ('y', 'f4')])", f"from_dtype({XY}, False)"),
        ("F = np.float32\npoint = np.dtype([('x', F), ('y', F)])", f"from_dtype({XY}, False)"),
        ("FIELDS = [('x', 'f4'), ('y', 'f4')]\npoint = np.dtype(FIELDS)", f"from_dtype({XY}, False)"),
        ("point = np.dtype({'names': ['x', 'y'], 'formats': [np.float32, 'f4']})",
         f"from_dtype({XY}, False)"),
        # The elements of an aligned record begin at multiples of their size: y at 8.
        ("point = np.dtype([('x', 'f4'), ('y', 'f8')], align=True)",
         "from_dtype({'names': ['x', 'y'], 'formats': ['<f4', '<f8'], 'offsets': [0, 8], 'itemsize': 16, "
         "'aligned': True}, True)"),
        ("def make():\n    return np.zeros(9, dtype=np.dtype([('x', 'f4'), ('y', 'f4')]))",
         f"from_dtype({XY}, False)"),
    ],
)  # fmt: skip
def test_a_declaration_gives_the_layout(tmp_path: Path, head: str, record: str) -> None:
    found = typing(tmp_path, head)
    assert found.types[0] == f"{record}[::1]"
    assert found.alternative == ()


@pytest.mark.parametrize(
    "head",
    ["point = np.dtype([('y', 'f4')])",
     "point = np.dtype('float32')",
     "point = np.dtype([('x', object)])",
     "point = np.dtype(input())",
     "point = np.dtype([('x', kind) for kind in kinds])",
     "def dtype(fields):\n    return fields\npoint = dtype([('x', 'f8')])"],
)  # fmt: skip
def test_what_declares_no_such_record_leaves_the_layout_a_guess(tmp_path: Path, head: str) -> None:
    found = typing(tmp_path, head)
    assert found.types[0] == ALONE
    assert found.alternative != ()


@pytest.mark.parametrize(
    ("field", "statements", "fits"),
    [
        ("('n', 'i4')", "out[r[i]['n']] = 0", True),
        ("('n', 'f4')", "out[r[i]['n']] = 0", False),
        ("('v', 'f4', (3,))", "out[i] = r[i]['v'][2]", True),
        ("('v', 'f4', (3,))", "out[i] = r[i]['v'][2, 1]", False),
        ("('p', [('x', 'f4')])", "out[i] = r[i]['p']['x']", True),
        ("('p', [('x', 'f4')])", "out[i] = r[i]['p']", False),
    ],
)
def test_a_declaration_must_fit_what_the_kernel_does_with_the_fields(
    tmp_path: Path, field: str, statements: str, fits: bool
) -> None:
    found = typing(tmp_path, f"record = np.dtype([{field}, ('w', 'f8')])", statements)
    assert ("('w', '<f8')" in found.types[0]) is fits
    assert found.types[0].endswith(")[::1]")


def test_the_declaration_is_said_with_its_place(tmp_path: Path) -> None:
    found = typing(tmp_path, "point = np.dtype([('x', 'f4'), ('y', 'f4')])")
    assert (
        "Array parameter r is taken to hold records of `point` (line 4 of program.py)." in found.assumptions
    )


def test_two_declarations_with_the_fields_are_both_tried(tmp_path: Path) -> None:
    head = (
        "one = np.dtype([('x', 'f4')])\n"
        "two = np.dtype([('x', 'f4'), ('y', 'f8')])\n"
        "three = np.dtype([('x', 'f4')])"
    )
    found = typing(tmp_path, head)
    assert found.types[0] == ALONE
    assert found.alternative[0] == "from_dtype([('x', '<f4'), ('y', '<f8')], False)[::1]"
    assert (
        "Array parameter r is taken to hold records of `one` (line 4 of program.py); what is otherwise with "
        "those of `two` (line 5 of program.py) is left out."
    ) in found.assumptions


@pytest.mark.parametrize(
    ("head", "others", "found"),
    [
        ("from types_of import point",
         {"types_of": "import numpy\npoint = numpy.dtype([('x', 'f8')])\n"}, True),
        ("", {"launching": "import numpy as np\npoint = np.dtype([('x', 'f8')])\n"}, True),
        ("", {"launching": "from types_of import point\n",
              "types_of": "import numpy as np\npoint = np.dtype([('x', 'f8')])\n"}, True),
        # A module that neither the kernel's nor a launch's imports says nothing of the kernel.
        ("", {"unrelated": "import numpy as np\npoint = np.dtype([('x', 'f8')])\n"}, False),
    ],
)  # fmt: skip
def test_a_declaration_may_stand_where_the_kernel_is_launched_or_in_an_imported_module(
    tmp_path: Path, head: str, others: dict[str, str], found: bool
) -> None:
    record = typing(tmp_path, head, **others).types[0]
    assert record == ("from_dtype([('x', '<f8')], False)[::1]" if found else ALONE)


def test_one_record_is_no_array(tmp_path: Path) -> None:
    found = typing(tmp_path, "point = np.dtype([('x', 'f4'), ('y', 'f4')])", "out[i] = r['x']")
    assert found.types[0] == f"from_dtype({XY}, False)"
    assert "Parameter r is taken to hold records of `point` (line 4 of program.py)." in found.assumptions


@pytest.mark.parametrize(
    ("written", "types"),
    [
        ("(numba.from_dtype(point)[:], numba.float32[:])", (f"from_dtype({XY}, False)[:]", "float32[:]")),
        (
            "(numba.from_dtype(point)[::1], numba.float32[::1])",
            (f"from_dtype({XY}, False)[::1]", "float32[::1]"),
        ),
    ],
)
def test_a_signature_may_state_records(tmp_path: Path, written: str, types: tuple[str, ...]) -> None:
    head = "point = np.dtype([('x', 'f4'), ('y', 'f4')])"
    made = unit(tmp_path, head, decorator=f"@cuda.jit({written})")
    assert [one.types for one in made.candidates] == [types]
    assert made.candidates[0].assumptions == ()


def test_a_signature_of_a_type_that_is_not_known_states_nothing(tmp_path: Path) -> None:
    made = unit(
        tmp_path, "point = input()", decorator="@cuda.jit((numba.from_dtype(point)[:], numba.float32[:]))"
    )
    assert made.candidates[0].types[0] == ALONE
