"""Kernels that no code names, in a program that launches others of their file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.evidence.source.analysis import SourceEvidence, analyse
from advisor.evidence.source.incremental_analysis import IncrementalAnalysis
from advisor.model.text.source_text import SourceText

KERNELS = """\
from numba import cuda

@cuda.jit
def used(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = 1

@cuda.jit
def unused(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = 2

"""
RUN = "def run(a):\n    used[(a.size + 127) // 128, 128](a)\n"
CELL = {
    "cell_type": "code",
    "metadata": {},
    "outputs": [],
    "execution_count": None,
    "source": ["import k\n", "start(k.unused)"],
}
# What follows the kernels, and the other files of the folder.
SAID: dict[str, tuple[str, dict[str, str]]] = {
    "by nothing": (RUN, {}),
    "in a comment of the file": (RUN + "# unused[1, 32](a)\n", {}),
    "from another file": (
        "",
        {"main.py": "from numba import cuda\nimport k\n\nk.used[8, 128](a)\n# k.unused[8, 128](a)\n"},
    ),
    "from a file of stars": ("", {"main.py": "from numba import cuda\nfrom k import *\n\nused[8, 128](a)\n"}),
}
NOT_SAID: dict[str, tuple[str, dict[str, str]]] = {
    "nothing is launched": ("", {}),
    "it is launched": (RUN + "    unused[8, 128](a)\n", {}),
    "it is kept": (RUN + "TABLE = {1: unused}\n", {}),
    "it is exported": ("__all__ = ['used', 'unused']\n" + RUN, {}),
    "it is asked for": (RUN + "kernel = globals()['un' + 'used']\n", {}),
    "it is an attribute by a name": (RUN + "import k\nkernel = getattr(k, name)\n", {}),
    "another file imports it": (RUN, {"main.py": "from k import unused\nstart(unused)\n"}),
    "another file with kernels has it": (
        RUN,
        {"main.py": "from numba import cuda\nimport k\n\n@cuda.jit\ndef f(a): pass\n\nT = [k.unused]\n"},
    ),
    "a notebook has it": (
        RUN,
        {"n.ipynb": json.dumps({"cells": [CELL], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})},
    ),
}  # fmt: skip


def never(found: SourceEvidence) -> set[str]:
    kernels = [one for one in found.records if one.entity == "kernel" and one.path == "k.py"]
    assert {one.label for one in kernels} == {"used", "unused"}
    return {one.label for one in kernels if one.readings["never_launched"].value}


@pytest.mark.parametrize(
    ("rest", "others", "expected"),
    [(*one, {"unused"}) for one in SAID.values()] + [(*one, set()) for one in NOT_SAID.values()],
    ids=[*SAID, *NOT_SAID],
)
def test_who_launches_a_kernel(tmp_path: Path, rest: str, others: dict[str, str], expected: set[str]) -> None:
    file = tmp_path / "k.py"
    file.write_text(KERNELS + rest)
    further = []
    for name, text in others.items():
        further.append(tmp_path / name)
        further[-1].write_text(text)
    assert never(analyse([file], tmp_path, workspace_files=further)) == expected
    assert never(analyse([file, *further], tmp_path)) == expected
    # The editor keeps what an edit does not reach: first without the rest, then with it.
    kept = IncrementalAnalysis(tmp_path, file)
    assert kept.analyse(SourceText("k.py", KERNELS), further) is not None
    edited = kept.analyse(SourceText("k.py", KERNELS + rest), further)
    assert edited is not None
    assert never(edited) == expected
