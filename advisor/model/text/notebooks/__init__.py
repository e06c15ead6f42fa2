"""Jupyter notebooks as Python: their code cells in one text, whose every line leads back to its cell."""

from __future__ import annotations

SUFFIX = ".ipynb"


def is_notebook(path: str) -> bool:
    """Whether a path names a notebook."""
    return path.endswith(SUFFIX)
