"""The argument types of recorded launches, written as the compiler takes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from advisor.evidence.simulated.launches.array_types import array_dtype
from advisor.evidence.simulated.launches.store import LaunchRow
from advisor.model.compilation_unit import ArgumentTypes

_ARRAY = re.compile(
    r"(?P<readonly>readonly )?(?P<unaligned>unaligned )?"
    r"array\((?P<element>.+), (?P<dims>\d+)d, (?P<layout>[CFA])\)"
)
_SCALAR = re.compile(r"[a-z]+\d*")
_UNIFORM = re.compile(r"UniTuple\((?P<member>[a-z]+\d*) x (?P<count>\d+)\)")
_SPELLINGS = {"bool": "boolean"}
_RANDOM_STATE = {"s0": "<u8", "s1": "<u8"}
# How Numba ends the text of a record whose fields are aligned.
_ALIGNED_RECORD = ";True)"

Arguments = Sequence[Mapping[str, Any]]


class _NoText(Exception):
    """A type that has no text which a compiler of another process could read."""


def launched_types(
    launches: Sequence[tuple[LaunchRow, float]], place: Callable[[LaunchRow], str]
) -> tuple[ArgumentTypes, ...]:
    """The typings of launches, that of the heaviest first; those that cannot be written are left out.

    `launches` are given with their weights; `place` says where one stands, in words.
    """
    found: dict[tuple[str, ...], ArgumentTypes] = {}
    texts: dict[str, tuple[str, ...] | None] = {}
    for row, _ in sorted(launches, key=lambda one: -one[1]):
        written = repr([(one["name"], one["type"], one.get("dtype")) for one in row.arguments])
        if written not in texts:
            texts[written] = argument_texts(row.arguments)
        types = texts[written]
        if types is not None:
            found.setdefault(types, ArgumentTypes(types, launch=place(row)))
    return tuple(found.values())


def argument_texts(arguments: Arguments) -> tuple[str, ...] | None:
    """The type of each parameter as text (see `ArgumentTypes`), members of tuples put together again; None
    where one of them has no text.
    """
    try:
        return tuple(_together(list(arguments), depth=0))
    except _NoText:
        return None


def _together(arguments: list[Mapping[str, Any]], depth: int) -> list[str]:
    """The types of arguments, those with a tuple's name and consecutive numbers as one."""
    found: list[str] = []
    at = 0
    while at < len(arguments):
        owner = _owner(arguments[at]["name"], depth)
        if owner is None:
            found.append(_text(arguments[at]))
            at += 1
            continue
        members = at
        while members < len(arguments) and _owner(arguments[members]["name"], depth) == owner:
            members += 1
        inner = _together(arguments[at:members], depth + 1)
        alike = len({*inner}) == 1
        found.append(f"UniTuple({inner[0]}, {len(inner)})" if alike else f"Tuple(({', '.join(inner)}))")
        at = members
    return found


def _owner(name: str, depth: int) -> str | None:
    """The tuple that an argument is a member of, below `depth` others: `a[1]` for `a[1][0]` below one."""
    parts = name.split("[")
    return "[".join(parts[: depth + 1]) if len(parts) > depth + 1 else None


def _text(argument: Mapping[str, Any]) -> str:
    kind = str(argument["type"])
    if (array := _ARRAY.fullmatch(kind)) is not None:
        return _array(array, argument.get("dtype"))
    if (uniform := _UNIFORM.fullmatch(kind)) is not None:
        return f"UniTuple({_scalar(uniform['member'])}, {uniform['count']})"
    if kind.startswith("Record("):
        return _record(kind, argument.get("dtype"))
    return _scalar(kind)


def _scalar(kind: str) -> str:
    if not _SCALAR.fullmatch(kind):
        raise _NoText(kind)
    return _SPELLINGS.get(kind, kind)


def _array(array: re.Match[str], dtype: str | None) -> str:
    element, dims, layout = array["element"], int(array["dims"]), array["layout"]
    record = element.startswith("Record(")
    text = _record(element, dtype) if record else _scalar(element)
    # A record that is not aligned makes its array unaligned by itself.
    unaligned = bool(array["unaligned"]) and not record
    if array["readonly"] or unaligned or not dims:
        options = ", readonly=True" * bool(array["readonly"]) + ", aligned=False" * unaligned
        return f"Array({text}, {dims}, {layout!r}{options})"
    axes = [":"] * dims
    if layout != "A":
        axes[-1 if layout == "C" else 0] = "::1"
    return f"{text}[{','.join(axes)}]"


def _record(kind: str, dtype: str | None) -> str:
    known = array_dtype(dtype)
    if known is None or known.names is None:
        raise _NoText(kind)
    formats = {name: known.fields[name][0].str for name in known.names} if known.fields else {}
    if formats == _RANDOM_STATE:
        return "xoroshiro128p_type"
    return f"from_dtype({dtype}, {kind.endswith(_ALIGNED_RECORD)})"
