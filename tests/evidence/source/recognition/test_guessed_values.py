"""Names in kernels whose value the source does not give: two values each, of a type that their use shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from units import unit_of

from advisor.model.compilation_unit import CompilationUnit, Placeholder

HEAD = "from numba import cuda\nimport math\nfrom settings import *\nimport config\n"


def unit(folder: Path, statements: str, head: str = HEAD, parameters: str = "a, out") -> CompilationUnit:
    body = "".join(f"    {line}\n" for line in statements.splitlines())
    return unit_of(
        folder, program=f"{head}@cuda.jit\ndef kernel({parameters}):\n    i = cuda.grid(1)\n{body}"
    )


@pytest.mark.parametrize(
    ("statements", "kind", "value", "other"),
    [
        ("if i < N:\n    out[i] = a[i]", "int64", "32", "48"),
        ("for k in range(N):\n    out[i] += a[k]", "int64", "32", "48"),
        ("out[i] = a[i + N]", "int64", "32", "48"),
        ("out[i // N] = a[i]", "int64", "32", "11"),
        ("out[i] = a[i % (2 * N)]", "int64", "32", "11"),
        ("s = cuda.shared.array((2, N, 2), 'float32')\ns[0, i % N, 0] = a[i]", "int64", "8", "5"),
        ("s = cuda.shared.array(N, 'float32')\ns[i] = a[i]", "int64", "32", "48"),
        ("s = cuda.local.array(shape=(3, N), dtype='float32')\ns[0, i] = a[i]", "int64", "32", "48"),
        ("s = cuda.shared.array((2, N, 2), 'float32')\ns[0, i, 0] = a[i]", "int64", "8", "12"),
        ("s = cuda.shared.array(N, 'float32')\ns[0, i] = a[i]", "UniTuple(int64, 2)", "(32, 32)", "(48, 48)"),
        ("s = cuda.shared.array(4, N)\ns[0] = N(0)", "type", "numba.float32", "numba.float64"),
        ("s = cuda.shared.array(4, dtype=N)\ns[0] = a[i]", "type", "numba.float32", "numba.float64"),
        ("out[i] = a[i] * N", "float64", "1.3", "np.float32(0.7)"),
        ("out[i] = math.sqrt(N)", "float64", "1.3", "np.float32(0.7)"),
        ("if N:\n    out[i] = a[i]", "boolean", "True", "False"),
        ("if not N:\n    out[i] = a[i]", "boolean", "True", "False"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("written", ["N", "config.N"])
def test_the_use_of_a_name_shows_its_type(
    tmp_path: Path, statements: str, kind: str, value: str, other: str, written: str
) -> None:
    made = unit(tmp_path, statements.replace("N", written))
    assert made.placeholders == (Placeholder("N", kind, value, other),)
    assert made.constants == {"N": value}
    assert made.missing == ()


@pytest.mark.parametrize(
    "statements",
    ["out[i] = N(a[i])", "out[i] = N[i]", "out[i] = N.shape[0]", "out[i] = N.a.b",
     "if N == 'same':\n    out[i] = 0", "if N is None:\n    out[i] = 0", "f(*N)",
     "for k in N:\n    out[k] = 0", "out[i] = N.real",
     "s = cuda.shared.array(4, N)\ns[0] = N + 1"],
)  # fmt: skip
def test_a_use_that_shows_no_number_leaves_a_name_unknown(tmp_path: Path, statements: str) -> None:
    made = unit(tmp_path, statements)
    assert made.placeholders == ()
    assert made.missing != ()


def test_one_name_that_stays_unknown_leaves_all_as_they_are(tmp_path: Path) -> None:
    made = unit(tmp_path, "out[i] = M(a[i + N])")
    assert made.placeholders == () == tuple(made.constants)
    assert [one.split()[0] for one in made.missing] == ["M", "N"]


def test_a_name_that_nothing_defines_gets_no_value(tmp_path: Path) -> None:
    made = unit(tmp_path, "out[i] = a[i + N]", head="from numba import cuda\n")
    assert [one.name for one in made.undefined] == ["N"]
    assert made.placeholders == ()


def test_a_guess_is_an_assumption_of_every_typing(tmp_path: Path) -> None:
    made = unit(tmp_path, "out[i] = a[i + N]")
    said = (
        "`N` (not defined in its module) is taken to be 32, int64 as its use shows; what is otherwise with "
        "48 is left out."
    )
    assert said in made.assumptions
    assert all(said in one.assumptions for one in made.candidates)


def test_of_two_guesses_the_larger_is_the_smaller_with_the_second_values(tmp_path: Path) -> None:
    made = unit(tmp_path, "out[i] = a[i + A + B + C + D + E]")
    pairs = [(int(one.value), int(one.other)) for one in made.placeholders]
    assert len(pairs) == len({*pairs}) == 5
    ranked = sorted(pairs)
    assert [other for _, other in ranked] == sorted((other for _, other in pairs), reverse=True)


def test_functions_of_two_modules_that_read_one_name_read_one_value(tmp_path: Path) -> None:
    made = unit_of(
        tmp_path,
        program="""
        from numba import cuda
        from settings import *
        @cuda.jit(device=True)
        def row(i):
            return i // N
        @cuda.jit
        def kernel(a):
            i = cuda.grid(1)
            if i < N:
                a[row(i)] = 0
        """,
    )
    assert [one.name for one in made.placeholders] == ["N"]


def test_names_of_different_modules_have_values_of_their_own(tmp_path: Path) -> None:
    made = unit_of(
        tmp_path,
        program="""
        from numba import cuda
        from settings import *
        from rows import row
        @cuda.jit
        def kernel(a):
            i = cuda.grid(1)
            if i < N:
                a[row(i)] = 0
        """,
        rows="""
        from numba import cuda
        from other_settings import *
        @cuda.jit(device=True)
        def row(i):
            return i & N
        """,
    )
    assert sorted(one.value for one in made.placeholders) == ["16", "32"]
    assert len({one.name for one in made.placeholders}) == 2


def test_the_other_guesses_of_a_unit_are_a_unit_of_one_typing(tmp_path: Path) -> None:
    made = unit(tmp_path, "out[i] = a[i + N]")
    (other,) = made.with_other_values(1)
    assert other.constants == {"N": "48"}
    assert other.candidates == (made.candidates[1],)


def test_a_unit_without_guesses_is_compiled_once(tmp_path: Path) -> None:
    made = unit(tmp_path, "out[i] = a[i + 3]", head="from numba import cuda\n")
    assert made.with_other_values() == ()


FACTORY = """
from numba import cuda
def make(n):
    {statements}
    @cuda.jit
    def kernel(a):
        {body}
    return kernel
"""


@pytest.mark.parametrize(
    ("statements", "body", "values"),
    [
        ("wide = n + 2", "for i in range(wide): a[i] = 0", {"wide": ("18", "82")}),
        ("m = 2 * n; wide = m + 2", "for i in range(wide): a[i] = 0", {"wide": ("34", "162")}),
        ("wide = n + 2", "for i in range(wide, n): a[i] = 0", {"wide": ("18", "82"), "n": ("16", "80")}),
        ("shape = (n, n + 1)", "s = cuda.shared.array(shape, 'int32'); s[0, 0] = a[0]",
         {"shape": ("(16, 17)", "(80, 81)")}),
        ("part = 1.0 / n", "a[0] = part * a[1] + n", {"part": ("1.3", "np.float32(0.7)")}),
        # What is computed otherwise, or would be no size, has a value of its own.
        ("wide = len(n)", "for i in range(wide): a[i] = 0", {"wide": ("32", "48")}),
        ("wide = n - 64", "for i in range(wide): a[i] = 0", {"wide": ("32", "48")}),
        ("wide = n / 2", "for i in range(wide): a[i] = 0", {"wide": ("32", "48")}),
        ("wide = wide + n", "for i in range(wide): a[i] = 0", {"wide": ("32", "48")}),
    ],
)  # fmt: skip
def test_what_is_computed_of_a_guess_follows_from_it(
    tmp_path: Path, statements: str, body: str, values: dict[str, tuple[str, str]]
) -> None:
    made = unit_of(tmp_path, program=FACTORY.format(statements=statements, body=body))
    found = {one.name: (one.value, one.other) for one in made.placeholders}
    assert {name: found[name] for name in values} == values
