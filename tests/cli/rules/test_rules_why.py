"""`advisor rules why`: what is printed for a kernel of a file."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from program_in_process import run_advisor

from advisor.__main__ import main

KERNEL = """\
from numba import cuda


@cuda.jit
def rows(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i, 3]


@cuda.jit
def other(a):
    a[cuda.grid(1)] = 1


def main(a, out):
    rows[64, 256](a, out)
"""


def why(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    (folder / "k.py").write_text(KERNEL)
    return run_advisor(folder, "rules", "why", *argv, "--evidence", "source")


def test_the_way_to_a_verdict(tmp_path: Path) -> None:
    done = why(tmp_path, "uncoalesced-access", "k.py::rows")
    assert (done.returncode, done.stderr) == (0, "")
    fires, silent, told = done.stdout.rstrip().split("\n\n")
    assert fires.splitlines()[0] == "uncoalesced-access fires for the access `a` at k.py:8"
    assert (
        "  YES a.sectors_per_request > min_sector_ratio * a.ideal_sectors_per_request" in fires.splitlines()
    )
    assert "        a.sectors_per_request = 16 to 32 sectors/request (source)" in fires.splitlines()
    assert silent.splitlines()[0] == "uncoalesced-access is silent for the access `out` at k.py:8"
    assert (
        "  It would fire if `a.sectors_per_request` were above 8 sectors/request "
        "(it is 4 to 8 sectors/request)" in silent
    )
    # Nothing is counted without launches: the bound that the rule states is what is known. A warp moves 16
    # to 32 sectors of `a` and 4 to 8 of `out`; with as many of each as of `out`, 8 of 20 or 16 of 40 remain.
    assert told.splitlines()[1] == "  Gain: predicted at most 2.5 times as fast"


def test_the_same_as_json(tmp_path: Path) -> None:
    content = json.loads(why(tmp_path, "uncoalesced-access", "k.py::rows", "--format", "json").stdout)
    assert [one["verdict"] for one in content["traces"]] == ["fires", "silent"]
    assert content["traces"][0]["steps"][0]["values"][0] == {
        "name": "a.space", "shown": '"global"', "source": "source",
    }  # fmt: skip


def test_a_rule_about_what_a_kernel_does_not_have(tmp_path: Path) -> None:
    done = why(tmp_path, "contended-atomic", "k.py::rows")
    assert done.stdout == "contended-atomic looks at each atomic, and rows has none that is known.\n"


WRONG = [
    (("uncoalesed-access", "k.py::rows"), "Did you mean `uncoalesced-access`?"),
    (("uncoalesced-access", "k.py::row"), "Did you mean `rows`? There are rows, other."),
    (("uncoalesced-access", "k.py"), "has several kernels; write k.py::rows, or other."),
    (("uncoalesced-access", "missing.py::rows"), "there is no file `missing.py`"),
]


@pytest.mark.parametrize(("argv", "said"), WRONG)
def test_names_that_are_nothing(tmp_path: Path, argv: tuple[str, ...], said: str) -> None:
    done = why(tmp_path, *argv)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


TRITON = """\
import triton
import triton.language as tl


@triton.jit
def shift(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(y_ptr + at, x + 1)
"""


def asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *argv: str
) -> str:
    """What is printed for a kernel of a file with kernels of Numba and of Triton."""
    (folder / "t.py").write_text(TRITON)
    (folder / "both.py").write_text(f"{TRITON}\n\n{KERNEL}")
    monkeypatch.chdir(folder)
    assert main(["rules", "why", *argv, "--evidence", "source"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("kernel", ["t.py", "t.py::shift", "both.py::shift"])
def test_a_rule_of_triton_on_a_kernel_of_triton(tmp_path, monkeypatch, capsys, kernel):
    said = asked(tmp_path, monkeypatch, capsys, "triton-unmasked-access", kernel).split("\n\n")
    file = kernel.partition(":")[0]
    assert [one.splitlines()[0].partition(" for the triton_access")[0] for one in said] == [
        "triton-unmasked-access is silent", "triton-unmasked-access fires",
    ]  # fmt: skip
    assert f"{file}:9" in said[1]


def test_a_rule_of_numba_on_a_kernel_of_triton_and_the_other_way(tmp_path, monkeypatch, capsys):
    said = asked(tmp_path, monkeypatch, capsys, "uncoalesced-access", "both.py::shift")
    assert said == "uncoalesced-access is a rule of Numba kernels, and shift is none.\n"
    said = asked(tmp_path, monkeypatch, capsys, "triton-unmasked-access", "both.py::rows")
    assert said == "triton-unmasked-access is a rule of Triton kernels, and rows is none.\n"


def test_kernels_of_both_are_named_where_one_is_missing(tmp_path, monkeypatch, capsys):
    (tmp_path / "both.py").write_text(f"{TRITON}\n\n{KERNEL}")
    monkeypatch.chdir(tmp_path)
    assert main(["rules", "why", "uncoalesced-access", "both.py::shft", "--evidence", "source"]) == 2
    assert "Did you mean `shift`? There are rows, other, shift." in capsys.readouterr().err
