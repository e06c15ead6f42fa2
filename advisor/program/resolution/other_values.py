"""A second value for a name that has several and of which the source gives only one."""

from __future__ import annotations

import numpy as np

from advisor.program.resolution.meanings import ConstantName, Meaning

# From here on a whole number has a smaller one beside it that is not half of it.
_SMALL = 4


def other_meaning(meaning: Meaning) -> Meaning | None:
    """What a name may mean that does not mean one thing alone; None where no other value is likely."""
    other = another(meaning.value) if isinstance(meaning, ConstantName) else None
    return None if other is None else ConstantName(other)


def another(value: object) -> object | None:
    """A value of the same kind, None for texts, arrays and others of which none is as likely.

    Whole numbers become smaller by a quarter, so that extents of shared memory and of local arrays stay
    possible; a power of two becomes none. Floats of one precision stay in it.
    """
    if isinstance(value, bool | np.bool_):
        return not value
    if isinstance(value, int | np.integer):
        number = int(value)
        return type(value)(number - number // _SMALL if number >= _SMALL else number + 1)
    if isinstance(value, float | np.floating):
        return type(value)(0.75 * float(value) + 0.1) if np.isfinite(value) else type(value)(1.0)
    if isinstance(value, tuple) and value:
        items = tuple(another(one) for one in value)
        return None if any(one is None for one in items) else items
    return None
