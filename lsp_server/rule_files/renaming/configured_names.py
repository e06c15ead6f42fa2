"""A new name of a rule or parameter in the configuration that speaks of it; all else there stays as it is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from lsprotocol import types

from advisor.model.settings.config import find_config_file
from advisor.model.text.source_text import SourceText, Span
from lsp_server.protocol.positions import Positions
from lsp_server.rule_files.renaming.toml_names import TomlName, toml_names
from lsp_server.rule_files.snapshot import Snapshot
from lsp_server.rule_files.text.symbols import Symbol

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_PYPROJECT = "pyproject.toml"
# The texts in these are names of rules.
_LISTS = ("select", "extend-select", "ignore", "extend-ignore", "per-file-ignores")


def configured_edits(
    snapshot: Snapshot, symbol: Symbol, new: str
) -> tuple[Path, list[types.TextEdit]] | None:
    """The nearest configuration and what has to change there; None where it does not speak of the name.

    Raises ValueError with the file's name when it cannot be read well enough to be changed.
    """
    if symbol.kind not in ("rule", "param"):
        return None
    file = find_config_file(snapshot.document.file.parent)
    if file is None:
        return None
    try:
        text = file.read_bytes().decode()
        known = tomllib.loads(text)
        found = [one for one in toml_names(text) if _means(one, symbol, _tables(file, known))]
    except (OSError, ValueError):
        raise ValueError(file.name) from None
    if not found:
        return None
    changed = text
    for one in reversed(found):
        changed = changed[: one.start] + new + changed[one.end :]
    try:
        both = {symbol.name, new}
        kept = _without(tomllib.loads(changed), both) == _without(known, both)
    except tomllib.TOMLDecodeError:
        kept = False
    if not kept:
        raise ValueError(file.name)
    positions = Positions(SourceText(file.name, text), snapshot.codec)
    return file, [types.TextEdit(positions.range(_span(text, one)), new) for one in found]


def _tables(file: Path, known: dict[str, Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The way to the advisor's table, and the table."""
    if file.name != _PYPROJECT:
        return (), known
    return ("tool", "advisor"), known.get("tool", {}).get("advisor", {})


def _means(one: TomlName, symbol: Symbol, tables: tuple[tuple[str, ...], dict[str, Any]]) -> bool:
    """Whether a key or text of the file is the name of the rule or parameter."""
    above, settings = tables
    if one.text != symbol.name or one.path[: len(above)] != above:
        return False
    path = one.path[len(above) :]
    if symbol.kind == "param":
        rule = symbol.owner.partition("@")[0]
        if one.is_key and path == ("rules", rule, "params", symbol.name):
            return True
        return (
            one.is_key
            and len(path) == 4
            and path[::2] == ("overrides", "params")
            and _is_of(path, rule, settings)
        )
    if one.is_key:
        return path == ("rules", symbol.name)
    return path[0] in _LISTS or (len(path) == 3 and path[0] == "overrides" and path[2] == "rule")


def _is_of(path: tuple[object, ...], rule: str, settings: dict[str, Any]) -> bool:
    """Whether an override is one of that rule."""
    overrides, number = settings.get("overrides"), path[1]
    return isinstance(overrides, list) and isinstance(number, int) and overrides[number].get("rule") == rule


def _without(value: Any, names: set[str]) -> Any:
    """A value in which each key and text of those names is a mark: what else there is has to stay."""
    if isinstance(value, dict):
        return {None if key in names else key: _without(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [_without(one, names) for one in value]
    return None if isinstance(value, str) and value in names else value


def _span(text: str, one: TomlName) -> Span:
    """The place of a name, which stands on one line."""
    line = text.count("\n", 0, one.start) + 1
    begin = text.rfind("\n", 0, one.start) + 1
    return Span(line, one.start - begin + 1, line, one.end - begin + 1)
