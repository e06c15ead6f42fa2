"""What the signature of a kernel says about its arrays."""

from __future__ import annotations

import ast
import re

_DIMENSIONS = re.compile(r"\[([:,\s1]*:[:,\s1]*)\]")


def strided_parameters(signature: ast.expr | None) -> float | None:
    """How many array types of a signature allow any strides, as `float32[:, :]` does and `float32[:, ::1]`
    does not; None without a signature.
    """
    if signature is None:
        return None
    return float(sum("::1" not in dimensions for dimensions in _DIMENSIONS.findall(ast.unparse(signature))))
