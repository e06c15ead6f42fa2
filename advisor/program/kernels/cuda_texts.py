"""Kernels in texts of CUDA C++: their places, parameters and hashes, and the literals that hold them."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

KERNEL_WORD = "__global__"
_PARAMETER = re.compile(r"(\w+)\s*\)?\s*(?:\[[^]]*\])?\s*(?:=.*)?$", re.DOTALL)
_OUTSIDE_OF_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
_HEADER = re.compile(
    rf"(?P<before>template\s*<[^;{{}}]*>\s*)?(?:extern\s+\"\s*\"\s+)?{KERNEL_WORD}\b[^;{{}}()]*"
    r"(?:\([^()]*\)[^;{}()]*?)?\b(?P<name>\w+)\s*\((?P<all>(?:[^()]|\([^()]*\))*)\)\s*\{"
)


@dataclass(frozen=True)
class KernelInText:
    """A kernel in CUDA C++: the name of its function, its line in the text, from 1, the names of its
    parameters, whether it is a template, and the hash of its text.
    """

    name: str
    line: int
    parameters: tuple[str, ...]
    is_template: bool
    text_hash: str


def kernels_in_text(code: str) -> list[KernelInText]:
    """The kernels that a text defines, in order."""
    plain = _OUTSIDE_OF_CODE.sub(_blank, code)
    found = []
    for one in _HEADER.finditer(plain):
        given = [part.strip() for part in _apart(one["all"])]
        names = [_PARAMETER.search(part) for part in given if part and part != "void"]
        begin = plain.index(KERNEL_WORD, one.start())
        own = code[begin : _end(plain, one.end())]
        found.append(
            KernelInText(
                one["name"],
                code.count("\n", 0, begin) + 1,
                tuple(name[1] if name else "" for name in names),
                one["before"] is not None,
                hashlib.sha256(own.encode()).hexdigest()[:16],
            )
        )
    return found


def kernel_in_text(code: str, name: str) -> KernelInText | None:
    """The kernel of a name, templates by the name before `<`; None where the text has no such kernel."""
    bare = name.partition("<")[0].split("::")[-1].strip()
    return next((one for one in kernels_in_text(code) if one.name == bare), None)


def literal_line(literal: ast.Constant, lines: Sequence[str]) -> int | None:
    """The line of a file, of these `lines`, at which the text of a literal begins, where each of its lines
    is one of the file; None for a literal that is written otherwise.

    Of a literal that begins with the end of its own line that line is the first.
    """
    wanted = str(literal.value).splitlines()
    here = lines[literal.lineno - 1 : literal.lineno - 1 + len(wanted)]
    alike = len(here) == len(wanted) and all(part in line for line, part in zip(here, wanted, strict=True))
    return literal.lineno if alike else None


def kernel_lines(tree: ast.AST, lines: Sequence[str], name: str, text_hash: str) -> list[int]:
    """The lines of a file at which literals have a kernel of this name and text."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and KERNEL_WORD in node.value:
            kernel, begin = kernel_in_text(node.value, name), literal_line(node, lines)
            if kernel is not None and begin is not None and kernel.text_hash == text_hash:
                found.append(begin + kernel.line - 1)
    return found


def _blank(found: re.Match[str]) -> str:
    """As many signs, without meaning; a text keeps its quotes."""
    inner = re.sub(r"[^\n]", " ", found[0][1:-1])
    edges = found[0][0] if found[0][0] in "\"'" else " "
    return f"{edges}{inner}{edges}" if len(found[0]) > 1 else found[0]


def _end(plain: str, at: int) -> int:
    """Where the block ends whose brace stands before `at`."""
    depth = 1
    for number in range(at, len(plain)):
        depth += (plain[number] == "{") - (plain[number] == "}")
        if depth == 0:
            return number + 1
    return len(plain)


def _apart(parameters: str) -> Iterator[str]:
    """Parameters parted at commas outside of `<…>`."""
    depth, begin = 0, 0
    for at, sign in enumerate(parameters):
        depth += (sign == "<") - (sign == ">")
        if sign == "," and depth == 0:
            yield parameters[begin:at]
            begin = at + 1
    yield parameters[begin:]
