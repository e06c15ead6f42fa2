"""Elementwise Triton kernels that are launched one after the other on the same data."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from advisor.evidence.source.triton.kernels.kernel_records import is_elementwise
from advisor.evidence.source.triton.launches.launches import TritonLaunch
from advisor.evidence.source.triton.walk.reader import TritonReader
from advisor.program.syntax.module import ModuleSyntax

_MAKES = frozenset({"empty_like", "empty", "zeros_like", "zeros", "cdiv", "numel", "next_power_of_2"})


@dataclass(frozen=True)
class LaunchPair:
    """Two launches, the second of which loads what the first stores; `array` is the host's name for it."""

    first: TritonLaunch
    second: TritonLaunch = field(repr=False)
    array: str
    same_grid: bool


def find_pairs(
    module: ModuleSyntax, launches: Sequence[TritonLaunch], reader: TritonReader
) -> Iterator[LaunchPair]:
    """The pairs of launches of elementwise kernels that follow each other in one block of statements."""
    statements = {
        id(parent): one for one in launches if isinstance(parent := module.parents.get(one.node), ast.Expr)
    }
    seen = set[int]()
    for launch in launches:
        statement = module.parents.get(launch.node)
        block = _block_of(statement, module)
        if not isinstance(statement, ast.Expr) or id(block) in seen or not block:
            continue
        seen.add(id(block))
        yield from _pairs(block, statements, reader)


def _pairs(
    block: list[ast.stmt], launches: dict[int, TritonLaunch], reader: TritonReader
) -> Iterator[LaunchPair]:
    before: TritonLaunch | None = None
    for statement in block:
        launch = launches.get(id(statement))
        if launch is None:
            before = before if _only_prepares(statement) else None
            continue
        if not is_elementwise(reader.notes(launch.kernel)):
            before = None
            continue
        array = _handed_on(before, launch, reader) if before is not None else None
        if before is not None and array is not None:
            yield LaunchPair(before, launch, array, before.grid_text == launch.grid_text)
        before = launch


def _block_of(statement: ast.AST | None, module: ModuleSyntax) -> list[ast.stmt]:
    parent = module.parents.get(statement) if statement is not None else None
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        if isinstance(block, list) and statement in block:
            return block
    return []


def _only_prepares(statement: ast.stmt) -> bool:
    """Whether a statement between two launches does no more than to make arrays and sizes."""
    if not isinstance(statement, ast.Assign):
        return False
    return all(
        isinstance(one.func, ast.Attribute) and one.func.attr in _MAKES
        for one in ast.walk(statement)
        if isinstance(one, ast.Call)
    )


def _handed_on(first: TritonLaunch, second: TritonLaunch, reader: TritonReader) -> str | None:
    """The array that the first kernel stores and the second loads."""
    stored = {one.address.pointer for one in reader.notes(first.kernel).accesses if one.kind == "store"}
    loaded = {one.address.pointer for one in reader.notes(second.kernel).accesses if one.kind == "load"}
    given = {ast.unparse(node) for name, node in first.given.items() if name in stored}
    for name, node in second.given.items():
        if name in loaded and isinstance(node, ast.Name) and node.id in given:
            return node.id
    return None
