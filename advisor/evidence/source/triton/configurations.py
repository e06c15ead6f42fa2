"""The configurations that `@triton.autotune` tries, as far as they are written out."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from advisor.evidence.source.triton.names import TritonNames
from advisor.program.names.visible_names import value_at

_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg", "pre_hook", "ir_override")
_POSITIONS = ("kwargs", "num_warps", "num_stages", "num_ctas", "maxnreg", "pre_hook")
Sizes = frozenset[int]


@dataclass(frozen=True)
class Configuration:
    """One `triton.Config(...)` in the source; one in a comprehension stands for several.

    `sizes` are the values that each parameter takes, empty where they are not written out; `open` when it
    takes parameters that cannot be seen.
    """

    node: ast.Call = field(repr=False)
    sizes: Mapping[str, Sizes] = field(default_factory=dict)
    options: Mapping[str, Sizes] = field(default_factory=dict)
    hooked: bool = False
    open: bool = False
    nodes: Mapping[str, ast.expr] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Tuning:
    """What `@triton.autotune` says. `count` is the number of configurations, None where it is not known.

    `keys` are the constants of `key`, None where it is no list of texts; `restored` are the parameters that
    are reset or restored between trials, None where that is not known. What `pruned` them may change them.
    """

    node: ast.Call = field(repr=False)
    configurations: tuple[Configuration, ...] = ()
    count: int | None = None
    keys: tuple[ast.Constant, ...] | None = None
    restored: frozenset[str] | None = frozenset()
    hooked: bool = False
    pruned: bool = False

    @property
    def parameters(self) -> frozenset[str]:
        """The parameters that configurations give."""
        return frozenset(name for one in self.configurations for name in one.sizes)

    def sizes_of(self, parameter: str) -> Sizes:
        """All values that a parameter takes, empty where they are not known."""
        values = [one.sizes.get(parameter, frozenset()) for one in self.configurations]
        return frozenset().union(*values) if values and all(values) else frozenset()


def tuning_of(call: ast.Call, names: TritonNames) -> Tuning:
    """What the call of `triton.autotune` says."""
    given = dict(zip(("configs", "key"), call.args, strict=False))
    given |= {one.arg: one.value for one in call.keywords if one.arg}
    reader = _Reader(names)
    configs = given.get("configs")
    found, count = reader.configurations(configs) if configs is not None else ([], None)
    restored: frozenset[str] | None = frozenset()
    for option in ("reset_to_zero", "restore_value"):
        texts = _texts(given.get(option)) if option in given else ()
        restored = None if texts is None or restored is None else restored | {str(one.value) for one in texts}
    hooked = "pre_hook" in given or "post_hook" in given or any(one.arg is None for one in call.keywords)
    pruned = "prune_configs_by" in given
    return Tuning(call, tuple(found), count or None, _texts(given.get("key")), restored, hooked, pruned)


def _texts(node: ast.expr | None) -> tuple[ast.Constant, ...] | None:
    if not isinstance(node, ast.List | ast.Tuple):
        return None
    texts = [one for one in node.elts if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return tuple(texts) if len(texts) == len(node.elts) else None


class _Reader:
    """Reads lists of configurations: written out, comprehended, or from a name or function of the module."""

    def __init__(self, names: TritonNames) -> None:
        self._names = names
        self._module = names.module

    def configurations(self, node: ast.expr, depth: int = 3) -> tuple[list[Configuration], int | None]:
        """The configurations of a list, and how many it has; None where that is not known."""
        if isinstance(node, ast.List | ast.Tuple):
            parts = [self._item(one, depth) for one in node.elts]
            return [c for found, _ in parts for c in found], _sum(count for _, count in parts)
        if isinstance(node, ast.ListComp):
            return self._comprehended(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self.configurations(node.left, depth), self.configurations(node.right, depth)
            return [*left[0], *right[0]], _sum((left[1], right[1]))
        value = value_at(self._module, node) if depth and isinstance(node, ast.Name) else None
        return ([], None) if value is None else self.configurations(value, depth - 1)

    def _item(self, node: ast.expr, depth: int) -> tuple[list[Configuration], int | None]:
        if isinstance(node, ast.Starred):
            return self.configurations(node.value, depth)
        if isinstance(node, ast.Call) and self._names.of(node.func) == "triton.Config":
            return [self._configuration(node, {})], 1
        return [], None if isinstance(node, ast.Call | ast.Name) else 1

    def _comprehended(self, node: ast.ListComp) -> tuple[list[Configuration], int | None]:
        bound: dict[str, Sizes] = {}
        counts: list[int | None] = []
        for one in node.generators:
            values = _numbers(one.iter)
            if isinstance(one.target, ast.Name):
                bound[one.target.id] = frozenset(values or ())
            counts.append(len(values) if values is not None and not one.ifs else None)
        if not isinstance(node.elt, ast.Call) or self._names.of(node.elt.func) != "triton.Config":
            return [], None
        known = [one for one in counts if one is not None]
        return [self._configuration(node.elt, bound)], math.prod(known) if len(known) == len(counts) else None

    def _configuration(self, node: ast.Call, bound: Mapping[str, Sizes]) -> Configuration:
        given: dict[str, ast.expr] = dict(zip(_POSITIONS, node.args, strict=False))
        given |= {one.arg: one.value for one in node.keywords if one.arg}
        values = given.get("kwargs")
        sizes: dict[str, Sizes] = {}
        nodes: dict[str, ast.expr] = {}
        is_open = any(one.arg is None for one in node.keywords) or not isinstance(values, ast.Dict)
        for key, value in (
            zip(values.keys, values.values, strict=True) if isinstance(values, ast.Dict) else ()
        ):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                sizes[key.value] = self._sizes(value, bound)
                nodes[key.value] = value
            else:
                is_open = True
        options = {name: self._sizes(given[name], bound) for name in _OPTIONS if name in given}
        return Configuration(node, sizes, options, "pre_hook" in given, is_open, nodes)

    def _sizes(self, node: ast.expr, bound: Mapping[str, Sizes]) -> Sizes:
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, int)
            and not isinstance(node.value, bool)
        ):
            return frozenset({node.value})
        if isinstance(node, ast.Name):
            return bound.get(node.id, frozenset())
        return frozenset()


def _numbers(node: ast.expr) -> list[int] | None:
    """The whole numbers that a loop counts through, None where they are not written out."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        found = [
            one.value for one in node.elts if isinstance(one, ast.Constant) and isinstance(one.value, int)
        ]
        return found if len(found) == len(node.elts) else None
    return None


def _sum(counts: Iterable[int | None]) -> int | None:
    total = 0
    for one in counts:
        if one is None:
            return None
        total += one
    return total
