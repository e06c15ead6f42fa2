"""Gives a block the next size that is possible: a power of two, and 16 or more for a factor of `tl.dot`."""

# /// fix
# title = "Take the next possible size of the block"
# safety = "needs review"
# rules = ["triton-extent-not-power-of-two", "triton-small-product-tile"]
# condition = "the grid follows the block's size, and elements beyond the data are masked"
#
# [parameters]
# product = 16
# ///

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.model.findings import Edit
from advisor.program.syntax.literals import written_integer

_LARGEST = 1 << 20


def edits(place: Place) -> list[Edit] | None:
    """The edit of a number in a launch or a configuration; None for one that is written inside of the kernel,
    where it is part of the algorithm, and for anything but a plain number.
    """
    number = place.exactly(ast.Constant)
    row = place.facts.row_at("triton_size", place.finding)
    if number is None or row is None or row.values.get("given_at") not in ("launch", "configuration"):
        return None
    size = written_integer(number) or 0
    if not 0 < size < _LARGEST or place.module.code_of(number).startswith("0"):
        return None
    least = place.parameters.get("product", 0) if row.values.get("of_product") else 0
    possible = max(1 << (size - 1).bit_length(), int(least))
    return None if possible == size else [place.module.replaced(number, str(possible))]
