"""Launches with a grid and a block along x only, and the numbers of both as the host's code can say them."""

from __future__ import annotations

import ast

from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.fixes.support.launches.launch_sizes import is_one, is_whole_number
from advisor.model.findings import Edit


def length_along_x(site: LaunchSite, size: ast.expr) -> str | None:
    """The text of a grid's or block's size along x; None where it may have other axes. Sums stand in
    brackets.
    """
    module, meant = site.module, site.defined(size)
    if isinstance(size, ast.Tuple):
        first = size.elts[0] if size.elts and all(is_one(site, one) for one in size.elts[1:]) else None
        return None if first is None or isinstance(first, ast.Tuple) else length_along_x(site, first)
    if isinstance(meant, ast.Tuple):
        # The name of a tuple that is written elsewhere.
        flat = length_along_x(site, meant) is not None
        return f"{module.code_of(size)}[0]" if flat and isinstance(size, ast.Name) else None
    if not is_whole_number(site, size) or "\n" in module.code_of(size):
        return None
    loose = isinstance(size, ast.BinOp | ast.UnaryOp)
    return f"({module.code_of(size)})" if loose else module.code_of(size)


def product_of(one: str, other: str) -> str:
    """The text of a product of two sizes, shorter where a number is 1 or both are numbers."""
    if one.isdigit() and other.isdigit():
        return str(int(one) * int(other))
    if "1" in (one, other):
        return bare(other if one == "1" else one)
    return f"{one} * {other}"


def blocks_for(size: str, threads: int) -> str:
    """The text of how many blocks of so many threads cover a size."""
    if size.isdigit():
        return str(-(-int(size) // threads))
    return f"({size} + {threads - 1}) // {threads}"


def bare(text: str) -> str:
    """A text without brackets around it as a whole."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return text[1:-1] if place == len(text) - 1 and text.startswith("(") else text
    return text


def replaced_by_pair(site: LaunchSite, size: ast.expr, first: str, second: str) -> Edit:
    """The edit that puts a tuple of two in the place of a grid or block."""
    return Edit(*site.module.outer_range(size), f"({first}, {second})")
