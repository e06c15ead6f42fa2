"""NumPy's types of arrays from the texts in which a record keeps them."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from advisor.model.text.syntax_trees import expression_tree


def array_dtype(text: str | None) -> np.dtype[Any] | None:
    """The dtype that a text stands for, also that of records, as `[('x', '<f4')]`; None for other texts."""
    if not text:
        return None
    try:
        return np.dtype(text)
    except (TypeError, ValueError, SyntaxError):
        pass
    try:
        # NumPy prints the type of a record as the list, or the dictionary, that makes it.
        found: np.dtype[Any] = np.dtype(ast.literal_eval(expression_tree(text)))
    except (TypeError, ValueError, SyntaxError, KeyError):
        return None
    return found
