"""Damaged notebooks: a check reads their cells, or says at which line they are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bounds import Quick, bounded, search, seeds, told_properly
from effort import NIGHTLY
from hypothesis import given
from hypothesis import strategies as st
from mutations import mutated, steps
from program_in_process import run_advisor

_KERNEL = (
    "@cuda.jit\ndef scale(a, b):\n    i = cuda.grid(1)\n    if i < a.size:\n        a[i] = b[i] ** 0.5\n"
)
_NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Scaling"]},
        {
            "cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [],
            "source": ["%load_ext line_profiler\n", "import numpy as np\n", "from numba import cuda"],
        },
        {
            "cell_type": "code", "execution_count": None, "metadata": {"vscode": {"languageId": "python"}},
            "outputs": [{"output_type": "stream", "name": "stdout", "text": ["<b>1</b>\n"]}],
            "source": _KERNEL.splitlines(keepends=True),
        },
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": "!ls\n%timeit scale[1, 64](x, y)\nx?"},
    ],
    "metadata": {"kernelspec": {"language": "python"}, "language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}  # fmt: skip
_SAMPLE = json.dumps(_NOTEBOOK, indent=1, ensure_ascii=False).encode()
_FORMATS = st.sampled_from(["text", "short", "sarif", "markdown", "concise"])


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Quick:
    here = Quick(tmp_path_factory, "notebooks")
    here.with_file("n.ipynb", _SAMPLE)
    done = run_advisor(here.folder, "check", "--evidence", "source", "--no-cache", "n.ipynb")
    assert "slow-power" in done.stdout, done
    return here


def checked(quick: Quick, data: bytes, form: str) -> None:
    quick.with_file("n.ipynb", data)
    with bounded():
        done = run_advisor(
            quick.folder, "check", "--evidence", "source", "--no-cache", "--format", form, "--diff", "n.ipynb"
        )
    told_properly(done, "n.ipynb")


@pytest.mark.timeout(7200 if NIGHTLY else 300)
def test_a_damaged_notebook_is_checked_or_refused(quick: Quick) -> None:
    @search(40)
    @given(steps(3), _FORMATS)
    def damaged(those: list[tuple[int, int]], form: str) -> None:
        checked(quick, mutated(_SAMPLE, those), form)

    damaged()


@pytest.mark.parametrize("seed", seeds("notebooks"), ids=lambda file: file.name)
def test_notebooks_that_were_bad_once(quick: Quick, seed: Path) -> None:
    checked(quick, seed.read_bytes(), "text")
