"""`advisor rules why`: what is printed for a kernel of a file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

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
"""


def why(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    (folder / "k.py").write_text(KERNEL)
    command = [sys.executable, "-m", "advisor", "rules", "why", *argv, "--evidence", "source"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


def test_the_way_to_a_verdict(tmp_path: Path) -> None:
    done = why(tmp_path, "uncoalesced-access", "k.py::rows")
    assert (done.returncode, done.stderr) == (0, "")
    fires, silent = done.stdout.rstrip().split("\n\n")
    assert fires.splitlines()[0] == "uncoalesced-access fires for the access `a` at k.py:8"
    assert "  YES a.sectors_per_request > excess * a.ideal_sectors_per_request" in fires.splitlines()
    assert "        a.sectors_per_request = 16 sectors/request (source)" in fires.splitlines()
    assert silent.splitlines()[0] == "uncoalesced-access is silent for the access `out` at k.py:8"
    assert (
        "  It would fire if `a.sectors_per_request` were above 8 sectors/request (it is 4 sectors/request)"
        in silent
    )


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
