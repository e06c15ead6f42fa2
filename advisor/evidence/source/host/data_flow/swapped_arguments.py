"""Launches whose arguments are called as other parameters of the kernel are, or are made for these."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from advisor.evidence.source.kernel_walk.kernel_facts import KernelFacts
from advisor.evidence.source.kernel_walk.walk import WalkedKernels
from advisor.program.launches.launches import Launch
from advisor.program.syntax.calls import last_name

# What names of host code have beside what a kernel calls the same array.
_AFFIXES = re.compile(
    r"^(d|dev|device|gpu|cuda|cu|g|h|host|self)_|_(d|dev|device|gpu|cuda|g|h|host|global|mem|buf)$"
)


def swapped_arguments(launch: Launch, walked: WalkedKernels, launches: Sequence[Launch]) -> list[str]:
    """The arguments of a launch, as written, that belong in each other's places: each is called as the
    parameter is that another one of them is given for, or their numbers of axes fit only the other way round.
    Not where another launch of the function, one of `launches`, gives the kernel the same in the places of
    each other, as one that goes back and forth does.
    """
    kernel = launch.kernel
    if kernel is None or launch.in_helper or len(launch.kernels) > 1 or launch.node.keywords:
        return []
    if len(launch.arguments) != len(kernel.parameters):
        return []
    places = _cycle(
        {place: _places(name, kernel.parameters) for place, name in enumerate(map(_bare, launch.arguments))}
    ) or _by_axes(launch, walked.facts(kernel))
    if not places or _is_given_both_ways(launch, places, launches):
        return []
    return [ast.unparse(launch.arguments[place]) for place in sorted(places)]


def _bare(node: ast.expr | str) -> str:
    """A name without what tells host code where its array lies; empty for any other expression."""
    name = (node if isinstance(node, str) else last_name(node)).lower()
    for _ in range(2):
        name = _AFFIXES.sub("", name)
    return name


def _places(name: str, parameters: tuple[str, ...]) -> list[int]:
    return [place for place, parameter in enumerate(map(_bare, parameters)) if name and parameter == name]


def _cycle(belongs: Mapping[int, list[int]]) -> set[int]:
    """The places whose arguments belong in each other's: each in one other, and nothing in its own."""
    moved = {at: to[0] for at, to in belongs.items() if len(to) == 1 and to[0] != at}
    for start in moved:
        seen, at = [start], moved[start]
        while at in moved and at not in seen:
            seen.append(at)
            at = moved[at]
        if at == start:
            return set(seen)
    return set()


def _by_axes(launch: Launch, facts: KernelFacts) -> set[int]:
    """Two arguments with other numbers of axes than the kernel has indices for, which fit exchanged."""
    if not facts.complete:
        return set()
    wrong: list[tuple[int, int, int]] = []
    for place, (parameter, extents) in enumerate(
        zip(facts.declaration.parameters, launch.argument_extents, strict=False)
    ):
        used = {len(one.indices) for one in facts.accesses if one.array.name == parameter}
        if extents is not None and len(used) == 1 and (count := used.pop()) > 0 and count != len(extents):
            wrong.append((place, count, len(extents)))
    if len(wrong) == 2 and wrong[0][1:] == wrong[1][:0:-1]:
        return {place for place, _, _ in wrong}
    return set()


def _is_given_both_ways(launch: Launch, places: set[int], launches: Sequence[Launch]) -> bool:
    """Whether another launch of the kernel passes the same arguments in other of these places."""
    own = [ast.unparse(launch.arguments[place]) for place in sorted(places)]
    around = launch.module.function_around(launch.node)
    for other in launches:
        if other.kernel is not launch.kernel or len(other.arguments) != len(launch.arguments):
            continue
        if other.module.function_around(other.node) is not around:
            continue
        given = [ast.unparse(other.arguments[place]) for place in sorted(places)]
        if given != own and sorted(given) == sorted(own):
            return True
    return _change_places(own, launch)


def _change_places(names: list[str], launch: Launch) -> bool:
    """Whether the code around a launch lets the names change places, `a, b = b, a`."""
    module = launch.module
    for one in module.inside(module.function_around(launch.node) or module.tree, ast.Assign):
        for target in one.targets:
            if isinstance(target, ast.Tuple) and isinstance(one.value, ast.Tuple):
                written = [ast.unparse(part) for part in target.elts]
                given = [ast.unparse(part) for part in one.value.elts]
                if set(names) <= set(written) and set(names) <= set(given):
                    return True
    return False
