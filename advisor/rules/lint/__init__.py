"""Remarks about rules that load and yet are not right.

Each module of this package looks for one kind of thing: it has a function `look(asked)` that gives remarks.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Collection

from advisor.rules.lint.asked import Asked, Reached
from advisor.rules.lint.remarks import Remark, explanation, remark_codes, shown_as
from advisor.rules.model import Rulebook


def lint(
    book: Rulebook, files: Collection[str] | None = None, known: dict[int, Reached] | None = None
) -> list[Remark]:
    """The remarks about a rulebook, those in `files` only when given, in order of place.

    Whoever asks again while the rulebook is edited hands in the same `known`, which keeps what was found out
    of single rules.
    """
    found: list[Remark] = []
    asked = Asked(book, files, {} if known is None else known)
    for module in pkgutil.iter_modules(__path__):
        look = getattr(importlib.import_module(f"{__name__}.{module.name}"), "look", None)
        if look is not None:
            found += look(asked)
    kept = [remark for remark in found if files is None or remark.path in files]
    return sorted(set(kept), key=lambda one: (one.path, one.span.line, one.span.column, one.code))


__all__ = ["Remark", "explanation", "lint", "remark_codes", "shown_as"]
