"""Renaming in rule files: which names can be given another, and the edits."""

from __future__ import annotations

import re

from lsp_server.rule_files.folders import is_shipped
from lsp_server.rule_files.renaming.navigation import Occurrence, declarations
from lsp_server.rule_files.snapshot import Snapshot
from lsp_server.rule_files.text.expression_names import FUNCTIONS
from lsp_server.rule_files.text.symbols import Symbol
from lsp_server.rule_files.text.words import reserved, terminal

_FIXED = {
    "function": "`{name}` is a function of the language.",
    "pattern": "`{name}` is a pattern, which other tools know by this name.",
}
_LOWER_NAME = re.compile(r"[a-z_][a-z0-9_]*")


def refusal(snapshot: Snapshot, symbol: Symbol) -> str | None:
    """Why a name cannot be given another, None where it can."""
    if symbol.kind in _FIXED:
        return _FIXED[symbol.kind].format(name=symbol.name)
    found = declarations(snapshot, symbol)
    if not found:
        return f"`{symbol.name}` is declared in no file of this workspace."
    for one in found:
        if is_shipped(one.file):
            return f"`{symbol.name}` belongs to the shipped knowledge, which other projects use by this name."
        if not one.file.is_relative_to(snapshot.document.top):
            return f"`{symbol.name}` is declared in {one.file}, outside of this workspace."
    if symbol.kind == "rule" and symbol.name in {*snapshot.book.renamed, *snapshot.book.retired}:
        return f"`{symbol.name}` is an id of the past."
    rule = snapshot.book.rule(symbol.owner) if symbol.kind == "param" else None
    if rule is not None and symbol.name in rule.former_params:
        return f"`{symbol.name}` is a name of the past; today it is `{rule.former_params[symbol.name]}`."
    metric = snapshot.book.metric(symbol.owner, symbol.name) if symbol.kind == "metric" else None
    if metric is not None and metric.computed is None:
        return f"`{symbol.name}` is given by a source, which knows it by this name."
    return None


def fault_of(new: str, snapshot: Snapshot, symbol: Symbol) -> str | None:
    """Why a name cannot be the new one, None where it can."""
    if symbol.kind == "rule":
        if not re.fullmatch(terminal("RULE_ID"), new):
            return f"`{new}` is no id of a rule: write words of small letters and digits with hyphens."
    elif not _LOWER_NAME.fullmatch(new) or new in reserved() or new in FUNCTIONS:
        return f"`{new}` is no name: write small letters, digits and `_`, and no word of the language."
    if new == symbol.name:
        return None
    taken = [symbol._replace(name=new)]
    if symbol.kind in ("param", "let", "variable"):
        owner = symbol.owner.partition("@")[0]
        taken = [Symbol(kind, owner, new) for kind in ("param", "let", "variable")]
        taken.append(symbol._replace(name=new))
    for other in taken:
        if found := declarations(snapshot, other):
            line = found[0].reading.lines.place(found[0].name.start)[0]
            return f"`{new}` is declared already, in {found[0].file.name}:{line}."
    return None


def file_to_move(snapshot: Snapshot, symbol: Symbol) -> Occurrence | None:
    """Where the rule is declared, when its file is called like it."""
    if symbol.kind != "rule":
        return None
    return next((one for one in declarations(snapshot, symbol) if one.file.stem == symbol.name), None)
