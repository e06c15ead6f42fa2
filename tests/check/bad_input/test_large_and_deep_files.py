"""Files of ten megabytes and expressions of great depth: checked, or an error; never a crash."""

from __future__ import annotations

from pathlib import Path

import pytest
from advisor_command import AdvisorCommand, Outcome

GOOD = ("slow-power", "good.py", 8)
FAST = ("--evidence", "source", "--no-cache")
TEN_MEGABYTES = 10 * 2**20

HEAD = "from numba import cuda\n\n\n@cuda.jit\ndef kernel(a):\n    i = cuda.grid(1)\n"


def test_ten_megabytes_of_kernels(advise: AdvisorCommand, workspace: Path) -> None:
    comment = "# " + 100 * "long " + "\n"
    text = HEAD + "    if i < a.size:\n        a[i] = a[i] ** 0.5\n"
    text += comment * (TEN_MEGABYTES // len(comment)) + "\n\n" + "\n\n".join(
        f"@cuda.jit\ndef kernel_{number}(a):\n    a[cuda.threadIdx.x] = a[0] ** 0.5\n" for number in range(50)
    )  # fmt: skip
    (workspace / "large.py").write_text(text)
    assert (workspace / "large.py").stat().st_size > TEN_MEGABYTES
    outcome = advise.check(*FAST, cwd=workspace)
    assert outcome.errors == []
    assert len(outcome.findings) == 52
    assert {
        GOOD,
        ("slow-power", "large.py", 8),
        ("slow-power", "large.py", text.count("\n")),
    } <= outcome.places


def test_ten_megabytes_without_kernels(advise: AdvisorCommand, workspace: Path) -> None:
    (workspace / "table.py").write_text("TABLE = [\n" + "    0.125, 0.25,\n" * (TEN_MEGABYTES // 17) + "]\n")
    outcome = advise.check(*FAST, cwd=workspace)
    assert (outcome.errors, outcome.places) == ([], {GOOD})


def test_ten_megabytes_in_one_line(advise: AdvisorCommand, workspace: Path) -> None:
    (workspace / "line.py").write_text("LINE = '" + "numba cuda " * (TEN_MEGABYTES // 11) + "'\n")
    outcome = advise.check(*FAST, cwd=workspace)
    assert (outcome.errors, outcome.places) == ([], {GOOD})


EXPRESSIONS = {
    "sum": " + ".join(["a[i]"] * 5000),
    "signs": "-" * 800 + "a[i]",
    "brackets": "(" * 80 + "a[i]" + ")" * 80,
    "subscripts": "a" + "[i]" * 900,
    "attributes": "a" + ".x" * 900,
    "calls": "abs(" * 90 + "a[i]" + ")" * 90,
    "conditions": " if i else ".join(["a[i]"] * 900),
    "powers": " ** ".join(["a[i]"] * 900),
    "lists": "[" * 90 + "]" * 90,
    "comparison": "i" + " < i" * 3000,
}
# Python nests at most twenty loops and a hundred blocks.
STATEMENTS = {"if i < {n}:": 90, "while i < {n}:": 18, "for j{n} in range(i):": 18, "with i:": 18}


@pytest.fixture(scope="module")
def deep(advise: AdvisorCommand, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """One check of a file for each of them."""
    workspace = tmp_path_factory.mktemp("deep")
    for name, expression in EXPRESSIONS.items():
        (workspace / f"{name}.py").write_text(f"{HEAD}    if i < a.size:\n        a[i] = {expression}\n")
    for statement, depth in STATEMENTS.items():
        lines = [f"{'    ' * (n + 1)}{statement.format(n=n)}\n" for n in range(depth)]
        body = "".join(lines) + f"{'    ' * (depth + 1)}a[i] = a[i] ** 0.5\n"
        (workspace / f"{statement[:3].strip()}_deep.py").write_text(HEAD + body)
    outcome = advise.check(*FAST, cwd=workspace)
    assert outcome.status == (2 if outcome.errors else 1), outcome.err
    return outcome


def test_deep_expressions_are_checked_or_errors_in_their_file(deep: Outcome) -> None:
    assert deep.err == ""
    # A kernel of which a line cannot be read is a kernel all the same.
    assert deep.report["summary"]["kernels"] <= len(EXPRESSIONS) + len(STATEMENTS)
    assert deep.report["summary"]["kernels"] + len(deep.errors) >= len(EXPRESSIONS) + len(STATEMENTS)
    assert {path for path, _, _ in deep.errors} <= {f"{name}.py" for name in EXPRESSIONS}
    assert all(1 <= line <= 8 for _, line, _ in deep.errors)


@pytest.mark.parametrize(("statement", "depth"), STATEMENTS.items())
def test_deep_statements_are_checked(deep: Outcome, statement: str, depth: int) -> None:
    assert ("slow-power", f"{statement[:3].strip()}_deep.py", 7 + depth) in deep.places


def test_a_deep_expression_is_no_danger_to_the_compiler(
    advise: AdvisorCommand, compiler: None, workspace: Path
) -> None:
    deep = " + ".join(["a[i]"] * 3000)
    (workspace / "deep.py").write_text(f"{HEAD}    if i < a.size:\n        a[i] = {deep}\n")
    outcome = advise.check("--no-cache", cwd=workspace)
    assert outcome.status in (1, 2), outcome.err
    assert GOOD in outcome.places
    assert {path for path, _, _ in outcome.errors} <= {"deep.py"}


def test_many_functions_that_call_each_other(advise: AdvisorCommand, workspace: Path) -> None:
    functions = "\n\n".join(
        f"@cuda.jit(device=True)\ndef f{n}(x):\n    return f{(n + 1) % 300}(x) + f{(n * 7) % 300}(x)\n"
        for n in range(300)
    )
    kernel = HEAD.partition("\n\n\n")[2] + "    if i < a.size:\n        a[i] = f0(a[i]) ** 0.5\n"
    (workspace / "round.py").write_text(f"from numba import cuda\n\n\n{functions}\n\n{kernel}")
    outcome = advise.check(*FAST, cwd=workspace)
    assert outcome.errors == []
    assert {("slow-power", "round.py"), ("slow-power", "good.py")} <= {place[:2] for place in outcome.places}
