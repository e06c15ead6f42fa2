"""Adds `non_blocking=True` to a copy of a page-locked batch."""

# /// fix
# title = "Copy with non_blocking=True"
# safety = "needs review"
# rules = ["blocking-copy-of-pinned"]
# condition = "nothing writes to the batch in host memory before the copy has ended"
# ///

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.edits.call_keywords import with_keyword
from advisor.model.findings import Edit

_OPTION = "non_blocking"


def edits(place: Place) -> list[Edit] | None:
    """The edit of the call; None for one with arguments that are not written out, or more than a device."""
    call = place.exactly(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr not in ("to", "cuda"):
        return None
    if len(call.args) > 1:
        return None
    edit = with_keyword(place.module, call, _OPTION, "True")
    return None if edit is None else [edit]
