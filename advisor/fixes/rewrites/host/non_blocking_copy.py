"""Adds `non_blocking=True` to a copy of a page-locked batch."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.place import Place
from advisor.fixes.support.edits.call_keywords import with_keyword
from advisor.model.findings import Edit

_OPTION = "non_blocking"


def edits(place: Place) -> list[Edit] | None:
    """The edit of the call; None for one with arguments that are not written out, or more than a device."""
    call = place.exactly(cst.Call)
    if call is None or not isinstance(call.func, cst.Attribute) or call.func.attr.value not in ("to", "cuda"):
        return None
    positional = [one for one in call.args if one.keyword is None]
    if len(positional) > 1:
        return None
    edit = with_keyword(place.module, call, _OPTION, "True")
    return None if edit is None else [edit]
