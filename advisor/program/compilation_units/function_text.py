"""The text of one function without decorators, annotations and defaults, line numbers kept."""

from __future__ import annotations

import ast
import symtable
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from advisor.program.syntax.module import FunctionNode, ModuleSyntax


@dataclass(frozen=True, slots=True)
class Replacement:
    """New text for an expression of the function that stands on one line."""

    node: ast.expr
    text: str


def function_text(
    module: ModuleSyntax,
    node: FunctionNode,
    name: str,
    replacements: list[Replacement] | None = None,
    defaults: Mapping[str, str] | None = None,
) -> str:
    """The dedented `def` under the given name; its first line is line `node.lineno` of the module.

    `defaults` are literal texts of parameters that keep a default.
    """
    start, stop = node.lineno, node.end_lineno or node.lineno
    lines = {number: module.source.lines[number - 1] for number in range(start, stop + 1)}
    first = min([node.body[0].lineno, *(d.lineno for d in getattr(node.body[0], "decorator_list", []))])
    column = _character(lines[first], node.body[0].col_offset)
    for replacement in sorted(replacements or [], key=_position, reverse=True):
        _replace(lines, replacement)
    indent = lines[start][: _character(lines[start], node.col_offset)]
    header = f"def {name}({_parameters(node.args, defaults or {})}):"
    shared = lines[first][:column].strip() != ""
    if first == start:
        body = [f"{header} {lines[start][column:]}"]
    else:
        opening = "    " + lines[first][column:] if shared else _dedented(lines[first], indent)
        body = [header, *("" for _ in range(start + 1, first)), opening]
    body += [_dedented(lines[number], indent) for number in range(first + 1, stop + 1)]
    return "\n".join(body) + "\n"


def text_columns(lines: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Where each line's text begins and ends, from 1, the end exclusive; an empty line has one column."""
    starts = [len(line) - len(line.lstrip()) + 1 for line in lines]
    return tuple(
        (start, max(len(line.rstrip()), start) + 1) for start, line in zip(starts, lines, strict=True)
    )


def global_names(source: str) -> frozenset[str]:
    """Names that a function's text reads from outside itself, nested functions included.

    Raises SyntaxError when the text is no valid function.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = symtable.symtable(source, "<function>", "exec")
    found: set[str] = set()
    stack = list(table.get_children())
    while stack:
        inner = stack.pop()
        found.update(symbol.get_name() for symbol in inner.get_symbols() if symbol.is_global())
        stack += inner.get_children()
    return frozenset(found)


def _character(line: str, offset: int) -> int:
    return offset if line.isascii() else len(line.encode()[:offset].decode(errors="ignore"))


def _position(replacement: Replacement) -> tuple[int, int]:
    return replacement.node.lineno, replacement.node.col_offset


def _replace(lines: dict[int, str], replacement: Replacement) -> None:
    node = replacement.node
    line = lines[node.lineno]
    end = _character(line, node.end_col_offset or node.col_offset)
    lines[node.lineno] = line[: _character(line, node.col_offset)] + replacement.text + line[end:]


def _dedented(line: str, indent: str) -> str:
    if line.startswith(indent):
        return line[len(indent) :]
    space = len(line) - len(line.lstrip())
    return line[min(space, len(indent)) :]


def _parameters(arguments: ast.arguments, defaults: Mapping[str, str]) -> str:
    def text(argument: ast.arg) -> str:
        return f"{argument.arg}={defaults[argument.arg]}" if argument.arg in defaults else argument.arg

    parts = [text(argument) for argument in arguments.posonlyargs]
    if parts:
        parts.append("/")
    parts += [text(argument) for argument in arguments.args]
    if arguments.vararg is not None:
        parts.append(f"*{arguments.vararg.arg}")
    elif arguments.kwonlyargs:
        parts.append("*")
    parts += [text(argument) for argument in arguments.kwonlyargs]
    if arguments.kwarg is not None:
        parts.append(f"**{arguments.kwarg.arg}")
    return ", ".join(parts)
