"""The reports that every format is tried on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from advisor.model.findings import (
    Edit,
    Evidence,
    Finding,
    Fix,
    Gain,
    Problem,
    Related,
    Report,
    Severity,
    Undecided,
)
from advisor.model.text.notebooks.joined_text import cells_of, notebook_text
from advisor.model.text.source_text import Span

MATMUL = '''\
"""Matrix product."""

from numba import cuda


@cuda.jit
def matmul(a, b, c):
    i, j = cuda.grid(2)
    total = 0.0
    for k in range(a.shape[1]):
        total += a[k, i] * b[k, j]
    c[i, j] = total


matmul[(64, 64), (16, 16)](a, b, c)
'''

ODD = (
    'def kernel(x):\n\tif x[0]:\n\t\tx[1] = 行列["値"] + "🚀"  # \x1b[31m\n    y = '
    + "x[0] + " * 60
    + "x[1]\n"
)


@dataclass(frozen=True)
class Rule:
    """What a catalogue knows of a rule."""

    id: str
    title: str
    category: str
    doc: str
    why: str
    url: str
    severity: Severity


RULES = {
    "uncoalesced-access": Rule(
        "uncoalesced-access",
        "Uncoalesced access",
        "memory",
        "Neighbouring lanes of a warp read or write addresses that lie far apart.",
        "Each request then moves many sectors and uses a few bytes of each.",
        "https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#coalesced-access-to-global-memory",
        "warning",
    ),
    "float64-promotion": Rule("float64-promotion", "Arithmetic in float64", "precision", "", "", "", "error"),
}

UNCOALESCED = Finding(
    rule="uncoalesced-access",
    path="kernels/matmul.py",
    span=Span(11, 18, 11, 25),
    kernel="matmul",
    severity="warning",
    confidence="high",
    message="Neighbouring lanes read a[k, i] 4,096 byte apart: 32 sectors a request where 4 would do.",
    why="A warp's request is served in sectors of 32 byte; of each only one element is used here.",
    advice=(
        "Let threadIdx.x run along the last index: swap i and j in cuda.grid(2), and check that the block "
        "shape still fits.",
        "Stage a tile of a in shared memory and read it from there.",
    ),
    evidence=(
        Evidence("sectors_per_request", 32.0, "count", 8.0, "simulated"),
        Evidence("used_share", 0.125, "ratio", 0.5, "compiled"),
        Evidence("lane_stride", 4096.0, "byte", None, "source"),
    ),
    gain=Gain(3.2, "at most"),
    effort="low",
    assumptions=("The arguments are float32 arrays in C order.", "The block is 16 x 16, as in the launch."),
    fixes=(Fix("Swap i and j", "safe"), Fix("Transpose a", "needs review")),
    related=(Related("kernels/matmul.py", Span(15, 1, 15, 36), "launched here"),),
    url="https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#coalesced-access-to-global-memory",
    title="Uncoalesced access",
    category="memory",
)

PROMOTED = Finding(
    rule="float64-promotion",
    path="kernels/matmul.py",
    span=Span(9, 5, 11, 35),
    kernel="matmul",
    severity="error",
    confidence="medium",
    message="The sum is kept in float64.",
    evidence=(Evidence("fp64_instructions", 12.0, "count", 0.0, "compiled", text="12 of 96"),),
)

CONSTANT_GRID = Finding(
    rule="constant-grid",
    path="kernels/matmul.py",
    span=Span(15, 8, 15, 16),
    kernel=None,
    severity="info",
    confidence="low",
    message="The grid is a constant.",
)


def full_report() -> Report:
    """Findings of each severity, problems, notices and undecided rules."""
    return Report(
        device="NVIDIA A100 80GB",
        findings=[UNCOALESCED, PROMOTED, CONSTANT_GRID],
        problems=[Problem("kernels/broken.py", 3, "The file does not parse: invalid syntax.", 9)],
        undecided=[
            Undecided("low-occupancy", 3, ("achieved_occupancy",), ("simulated", "measured")),
            Undecided("cache-thrashing", 1, ("l2_hit_rate", "dram_norm"), ("measured",)),
        ],
        notices=["Compiled evidence is missing: nvidia-nvjitlink is not installed."],
        texts={"kernels/matmul.py": MATMUL},
        summary={"files": 2},
    )


def odd_report() -> Report:
    """Tabs, wide characters, long lines, control characters, missing texts and Windows paths."""

    def finding(path: str, span: Span, message: str = "Here.", kernel: str | None = None) -> Finding:
        return Finding("odd-place", path, span, kernel, "warning", "low", message)

    return Report(
        device="",
        findings=[
            finding("odd.py", Span(3, 3, 3, 15), "Tabs and wide characters before the place."),
            finding("odd.py", Span(3, 18, 3, 21), "Behind an emoji."),
            finding("odd.py", Span(4, 9, 4, 13), "At the start of a long line."),
            finding("odd.py", Span(4, 219, 4, 223), "In the middle of a long line."),
            finding("odd.py", Span(4, 425, 4, 433), "Near the end of a long line."),
            finding("odd.py", Span(4, 5, 4, 433), "All of a long line."),
            finding("odd.py", Span(2, 5, 4, 6), "Over several lines, from the middle of one."),
            finding("odd.py", Span(2, 40), "Behind the end of the line."),
            finding("odd.py", Span(99, 1), "Behind the end of the file."),
            finding("gone.py", Span(2, 1, 5, 9), "The text is missing.", "kernel|`x`"),
            finding("C:/data/a b,c:d%.py", Span(1), "A Windows path: 100%, a comma, a colon."),
            finding(
                "/tmp/ünïcode.py", Span(1), "Line one.\nLine two.\r\nA bell \a, red \x1b[31m, \u202eturned."
            ),
            finding("../up.py", Span(1), "| a [table](x) <b> `tick` *star* _line_"),
            finding("odd.py", Span(1, 1, 1, 4), ""),
        ],
        texts={"odd.py": ODD, "/tmp/ünïcode.py": ""},
    )


def empty_report() -> Report:
    """Nothing found and nothing wrong."""
    return Report(device="NVIDIA T4", summary={"files": 3})


def problems_report() -> Report:
    """Nothing found because nothing could be looked at."""
    return Report(
        device="NVIDIA T4",
        problems=[
            Problem("latin.py", 1, "cannot be decoded: unknown encoding: latin-17"),
            Problem("half.py", 12, "syntax error: '(' was never closed", 9),
            Problem("empty", 0, "no Python files in this folder"),
            Problem(
                "kernels.py", 4, "The kernel `scale` was not compiled: its text is missing.", checked=True
            ),
            Problem("", 0, "The cache could not be written:\nno space left\x07."),
        ],
    )


NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Scaling"]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["%load_ext numba\n", "oops ("]},
        {
            "cell_type": "code",
            "metadata": {},
            "outputs": [],
            "source": [
                "%%time\n",
                "@cuda.jit\n",
                "def scale(a, b):\n",
                "    i, j = cuda.grid(2)\n",
                "    a[i, j] = 2 * b[i, j]",
            ],
        },
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": "%timeit scale[1, 64](a, b)\na.sum()"},
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 4,
}


def notebook_report() -> Report:
    """Places in the cells of a notebook, whose edits lie in them, and a cell that is no Python."""
    path, data = "notes/scale.ipynb", json.dumps(NOTEBOOK, indent=1).encode()
    text = notebook_text(data, path)
    lines = text.splitlines()

    def span(part: str) -> Span:
        (line,) = [
            number for number, line in enumerate(lines, 1) if part in line and "#ipython: " not in line
        ]
        column = lines[line - 1].index(part) + 1
        return Span(line, column, line, column + len(part))

    def finding(part: str, message: str, **more: Any) -> Finding:
        return Finding("odd-place", path, span(part), "scale", "warning", "low", message, **more)

    at = text.index("2 * b")
    launch = Related(path, span("scale[1, 64](a, b)"), "launched here")
    edit = Fix("Halve", "safe", "halve", "Always.", (Edit(at, at + 1, "1"),))
    whole = Span(span("def scale").line, 1, span("a[i, j]").line, 26)
    return Report(
        device="NVIDIA T4",
        findings=[
            finding("b[i, j]", "Below a command of the cell.", related=(launch,), fixes=(edit,)),
            finding("scale[1, 64](a, b)", "In a command; the whole notebook's source is one line."),
            Finding("odd-place", path, whole, "scale", "warning", "low", "Over several lines."),
        ],
        problems=[Problem(path, line, cause, column) for line, column, cause in cells_of(text).left_out()],
        texts={path: text},
    )


REPORTS = {
    "full": full_report,
    "notebook": notebook_report,
    "odd": odd_report,
    "empty": empty_report,
    "problems": problems_report,
}
