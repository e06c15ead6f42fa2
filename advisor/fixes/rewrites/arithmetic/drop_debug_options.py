"""Removes `debug=True` and `opt=False` from the decorator of a kernel."""

# /// fix
# title = "Remove debug=True and opt=False"
# safety = "needs review"
# rules = ["debug-build"]
# condition = "nobody debugs this kernel now: without debug=True exceptions inside it are no longer raised"
# ///

from __future__ import annotations

import ast
from itertools import pairwise

from advisor.fixes.place import Place
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.model.findings import Edit

_SLOW = {"debug": ("True", "1"), "opt": ("False", "0")}


def edits(place: Place) -> list[Edit] | None:
    """The edit of the decorator; None where the options are not written there as constants."""
    function, module = place.function(), place.module
    for call in function.decorator_list if function is not None else ():
        if isinstance(call, ast.Call):
            arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
            arguments.sort(key=module.range_of)
            kept = [one for one in arguments if not _is_slow(module, one)]
            if not kept:
                return [module.replaced(call, module.code_of(call.func))]
            if len(kept) < len(arguments):
                return [module.replaced(call, _with_arguments(module, call, arguments, kept))]
    return None


def _is_slow(module: SourceModule, argument: ast.expr | ast.keyword) -> bool:
    if not isinstance(argument, ast.keyword):
        return False
    return module.code_of(argument.value) in _SLOW.get(argument.arg or "", ())


def _with_arguments(
    module: SourceModule,
    call: ast.Call,
    arguments: list[ast.expr | ast.keyword],
    kept: list[ast.expr | ast.keyword],
) -> str:
    """The text of a call with some of its arguments, and behind each but the last what stands there now."""
    text, (begin, end) = module.text, module.range_of(call)
    places = dict(zip(arguments, map(module.outer_range, arguments), strict=True))
    following = {one: places[other][0] for one, other in pairwise(arguments)}
    parts = [text[places[one][0] : following[one]] for one in kept[:-1]]
    head, tail = text[begin : places[arguments[0]][0]], text[places[arguments[-1]][1] : end]
    return "".join([head, *parts, module.outer_code_of(kept[-1]), tail])
