"""Lets a DataLoader lock its batches: `pin_memory=True`."""

# /// fix
# title = "Let the DataLoader lock its batches"
# safety = "needs review"
# rules = ["loader-without-pinning"]
# condition = """
# the dataset gives tensors of host memory, and the machine has memory to lock for the batches that are \
# loaded ahead"""
# ///

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.edits.call_keywords import with_keyword
from advisor.model.findings import Edit

# The place of pin_memory among the parameters of DataLoader.
_POSITIONAL = 7


def edits(place: Place) -> list[Edit] | None:
    """The edit of the call; None where its options are not written out or given by their places."""
    call = place.exactly(ast.Call)
    if call is None or len(call.args) > _POSITIONAL:
        return None
    edit = with_keyword(place.module, call, "pin_memory", "True")
    return None if edit is None else [edit]
