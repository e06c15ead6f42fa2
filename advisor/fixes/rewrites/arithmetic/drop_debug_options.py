"""Removes `debug=True` and `opt=False` from the decorator of a kernel."""

# /// fix
# title = "Remove debug=True and opt=False"
# safety = "needs review"
# rules = ["debug-build"]
# condition = "nobody debugs this kernel now: without debug=True exceptions inside it are no longer raised"
# ///

from __future__ import annotations

import libcst as cst

from advisor.fixes.place import Place
from advisor.model.findings import Edit

_SLOW = {"debug": ("True", "1"), "opt": ("False", "0")}


def edits(place: Place) -> list[Edit] | None:
    """The edit of the decorator; None where the options are not written there as constants."""
    function = place.function()
    if function is None:
        return None
    module = place.module
    for decorator in function.decorators:
        call = decorator.decorator
        if not isinstance(call, cst.Call):
            continue
        kept = [argument for argument in call.args if not _is_slow(argument, module.written(argument.value))]
        if len(kept) == len(call.args):
            continue
        if not kept:
            return [module.replaced(call, module.written(call.func))]
        kept[-1] = kept[-1].with_changes(comma=call.args[-1].comma)
        return [module.replaced(call, module.written(call.with_changes(args=kept)))]
    return None


def _is_slow(argument: cst.Arg, value: str) -> bool:
    return argument.keyword is not None and value in _SLOW.get(argument.keyword.value, ())
