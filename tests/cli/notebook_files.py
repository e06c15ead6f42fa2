"""Notebooks written for the tests, as Jupyter stores them."""

from __future__ import annotations

import json
from typing import Any

HEAD = "%matplotlib inline\nimport numpy as np\nfrom numba import cuda\n"
# The else branch is never reached by some threads of the block: a barrier there is an error of the program.
DIVERGENT = (
    "@cuda.jit\ndef half(a):\n    i = cuda.threadIdx.x\n"
    "    if i < 16:\n        cuda.syncthreads()\n    a[i] = i"
)
REACHED = DIVERGENT.replace("        cuda.syncthreads()", "        pass\n    cuda.syncthreads()")
RULE = "barrier-in-divergent-branch"
METADATA = {
    "kernelspec": {"name": "python3", "language": "python"},
    "language_info": {"name": "python", "version": "3.11.4"},
}


def code(source: str, **more: Any) -> dict[str, Any]:
    """A code cell, its source a list of lines."""
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": []}
    return {**cell, "source": source.splitlines(keepends=True), **more}


def notebook(*cells: Any, **more: Any) -> dict[str, Any]:
    """A notebook of cells, or of the sources of code cells."""
    made = [cell if isinstance(cell, dict) else code(cell) for cell in cells]
    return {"cells": made, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5, **more}


def text_of(content: object) -> str:
    """The JSON text as Jupyter writes it."""
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def places(report: Any, rule: str = RULE) -> list[tuple[str, int, int]]:
    """Path, cell and line of a rule's findings."""
    return [(one["path"], one["cell"], one["line"]) for one in report["findings"] if one["rule"] == rule]


def errors(report: Any) -> list[tuple[int, int, str]]:
    """Cell, line and message of what could not be looked at."""
    return [(one["cell"], one["line"], one["message"]) for one in report["errors"]]
