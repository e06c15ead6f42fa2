"""What a program's statements let CuPy do is counted, and advised on at these statements."""

from __future__ import annotations

PROGRAM = """\
import cupy as cp

x = cp.arange(1000, dtype=cp.float32)


def formula(x):
    return (x * 2 + 1) / cp.sqrt(x + 3)


for _ in range(4):
    y = formula(x)
    y[1:-1] = y[2:] + y[:-2]
    if y.max() < 0:
        break
"""


def test_chains_and_values_are_advised_on(run_program, cupy_command, tmp_path):
    done = run_program(PROGRAM)
    assert (done.status, done.out) == (0, b""), done.err
    checked = cupy_command.check("main.py", cwd=tmp_path)
    assert checked.errors == []
    found = {one["rule"]: one for one in checked.findings}
    assert {rule: one["line"] for rule, one in found.items()} == {
        "intermediate-arrays": 7,
        "value-awaited-often": 13,
    }
    # Five operations load 6 arrays and store 5; 4 of them are stored and loaded between two operations.
    message = found["intermediate-arrays"]["message"]
    assert "5 element-wise kernels of this statement hand 4 arrays to each other" in message
    assert "72.7% of the bytes" in message
    # Five launches of the formula, one of the sum, whose copy is none, the maximum and the comparison; and
    # `arange`.
    assert "4 times in the run" in found["value-awaited-often"]["message"]
    assert "for the 8.25 kernels" in found["value-awaited-often"]["message"]


def test_nothing_is_said_of_a_fused_function(run_program, cupy_command, tmp_path):
    fused = PROGRAM.replace("def formula", "@cp.fuse()\ndef formula").replace(
        "    if y.max() < 0:\n        break\n", ""
    )
    assert run_program(fused).status == 0
    assert cupy_command.check("main.py", cwd=tmp_path).findings == []


def test_nothing_is_said_of_a_statement_that_changed(run_program, cupy_command, tmp_path):
    run_program(PROGRAM)
    main = tmp_path / "main.py"
    main.write_text(main.read_text().replace("x * 2 + 1", "x * 2 + 4"))
    rules = {one["rule"] for one in cupy_command.check("main.py", cwd=tmp_path).findings}
    assert rules == {"value-awaited-often"}
