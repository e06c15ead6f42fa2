"""NumPy's data types of a kernel's parameters."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Any

import numpy as np

from advisor.model.machine_code.kernel_code import ParameterSlot
from advisor.model.text.syntax_trees import expression_tree


def slot_dtype(slot: ParameterSlot) -> np.dtype[Any]:
    """The data type of a scalar, a record or an array's elements; raises TypeError or ValueError for a text
    that names none.
    """
    return _dtype(slot.dtype)


@lru_cache(256)
def _dtype(text: str) -> np.dtype[Any]:
    return np.dtype(ast.literal_eval(expression_tree(text)) if text[:1] in ("[", "{", "(") else text)
