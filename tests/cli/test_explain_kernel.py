"""`advisor explain PATH::kernel`: the diagnosis as people and programs see it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.__main__ import main

TEXT = """\
import numpy as np
from numba import cuda, float32, void


@cuda.jit(void(float32[:, ::1], float32[::1]))
def columns(a, out):
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0.0)
        for k in range(a.shape[1]):
            total += a[i, k]
        out[i] = total


def workload():
    a = np.ones((512, 64), np.float32)
    out = np.zeros(512, np.float32)
    columns[4, 128](a, out)
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "k.py").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "k.py"


def test_the_page(file, capsys):
    assert main(["explain", "k.py::columns", "--device", "A100"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("columns  k.py:6  NVIDIA A100")
    assert "Predicted: " in page
    assert "Within the model's error: " in page
    assert "What it waits for: memory bound (predicted)" in page
    assert "Are accesses of global memory coalesced?  yes, found here" in page
    assert "line 11: Neighbouring lanes of a warp touch `a` far apart" in page
    assert "What to do, the most rewarding first\n  1. " in page
    assert "Simulated without a GPU: k.py:18, grid 4, block 128." in page
    assert max(map(len, page.splitlines())) <= 110


def test_a_program_reads_it(file, capsys):
    assert main(["explain", "k.py", "--device", "A100", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["kernel"], data["path"], data["line"]) == ("columns", "k.py", 6)
    assert data["bound"]["class"] == "memory"
    low, high = data["bound"]["time_interval_ms"]
    assert low < data["bound"]["time_ms"] < high
    parts = data["bound"]["parts"]
    assert parts[0]["resource"] == "l1" and parts[0]["share"] == 1.0
    answers = {one["id"]: one for one in data["answers"]}
    assert answers["coalescing"]["verdict"] == "cause"
    assert answers["coalescing"]["findings"][0]["rule"] == "uncoalesced-access"
    assert data["actions"][0]["speedup"] > 1.0


def test_nothing_runs_with_no_run(file, capsys):
    file.write_text(TEXT.replace("def workload():", "def workload():\n    open('ran', 'w').close()"))
    assert main(["explain", "k.py::columns", "--no-run"]) == 0
    page = capsys.readouterr().out
    assert "What it waits for: not known" in page
    assert "record\n" in page or "record one" in page
    assert not Path("ran").exists()


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("gone.py::columns", "there is no file `gone.py`"),
        ("k.py::colums", "Did you mean `columns`?"),
    ],
)
def test_what_is_not_there(file, capsys, argument, said):
    assert main(["explain", argument, "--no-run"]) == 2
    assert said in capsys.readouterr().err
