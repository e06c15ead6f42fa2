"""What host code says about its names: NumPy arrays, device arrays, sizes of data, loops around a call."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.facts.declarations import cuda_member
from advisor.facts.module import FunctionNode, ModuleSyntax, assignments, stored_names
from advisor.facts.reaching import bound_before, reaching_values
from advisor.facts.tree_nodes import below
from advisor.facts.workspace import Workspace
from advisor.syntax_trees import expression_tree

_CREATORS = frozenset({
    "zeros", "ones", "empty", "full", "array", "arange", "linspace", "zeros_like", "ones_like", "empty_like",
    "full_like", "asarray", "ascontiguousarray", "copy", "eye", "random", "rand", "randn", "randint",
    "random_sample",
    "uniform", "normal", "standard_normal", "integers", "concatenate", "stack", "repeat", "tile",
    "fromfunction", "meshgrid", "loadtxt", "load", "genfromtxt", "deg2rad", "pad", "fft", "hstack", "vstack",
})  # fmt: skip
_CONVERSIONS = frozenset({"float32", "float64", "int32", "int64", "uint32", "uint8"})
_ARRAY_METHODS = frozenset({"astype", "copy", "reshape", "ravel", "flatten", "view", "transpose"})
_GENERATORS = frozenset({"default_rng", "RandomState"})
_DEPTH = 6


class HostScope:
    """The names of one host function, looked up in the function, its class and the module."""

    def __init__(self, module: ModuleSyntax, function: FunctionNode | None, workspace: Workspace) -> None:
        self.module, self.function, self.workspace = module, function, workspace
        self._known: dict[tuple[str, str, int, int], bool | None] = {}

    @staticmethod
    def bound(module: ModuleSyntax, function: FunctionNode | None, name: str) -> list[ast.expr]:
        """Every value that the function, or else the module, binds to a name."""
        if function is not None:
            cache: dict[FunctionNode, dict[str, list[ast.expr]]] = module.__dict__.setdefault(
                "_host_bound", {}
            )
            if function not in cache:
                cache[function] = _assignments_anywhere(module, function)
            local = cache[function].get(name)
            if local:
                return local
        return module.assigned.get(name, [])

    def host_arrays(self, arguments: Sequence[ast.expr]) -> tuple[str, ...] | None:
        """The arguments that are NumPy arrays for certain, None when nothing is known of any argument."""
        verdicts = [(ast.unparse(argument), self.is_host_array(argument)) for argument in arguments]
        if all(verdict is None for _, verdict in verdicts):
            return None
        return tuple(name for name, verdict in verdicts if verdict)

    def is_host_array(self, node: ast.expr, depth: int = _DEPTH) -> bool | None:
        """True for a NumPy array, False for something else, None when the source does not tell."""
        if depth == 0:
            return None
        if isinstance(node, ast.Call):
            return self._call_result(node, depth)
        if isinstance(node, ast.Constant):
            return False
        if isinstance(node, ast.Name):
            key = ("array", node.id, depth, node.lineno)
            if key not in self._known:
                self._known[key] = self._all(self._values(node), depth)
            return self._known[key]
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            return self._all(self._attribute_values(node.attr), depth)
        if isinstance(node, ast.BinOp):
            # NumPy takes no array of another library, so that one side tells.
            sides = [self.is_host_array(side, depth - 1) for side in (node.left, node.right)]
            return True if True in sides else None if None in sides else False
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            return self.is_host_array(node.operand, depth - 1)
        if isinstance(node, ast.Subscript):
            inner = self.is_host_array(node.value, depth - 1)
            return inner if isinstance(node.slice, ast.Slice) else (None if inner else inner)
        return None

    def _values(self, name: ast.Name) -> list[ast.expr]:
        """The values that a name may have where it is used; all that it has where that is not clear."""
        every = self.bound(self.module, self.function, name.id)
        if len(every) < 2:
            return every
        if self.function is None:
            return bound_before(self.module, name) or every
        reaching = reaching_values(self.function, name.id, name) or [None]
        known = [one for one in reaching if one is not None]
        return known if len(known) == len(reaching) else every

    def _all(self, values: list[ast.expr], depth: int) -> bool | None:
        verdicts = [self.is_host_array(value, depth - 1) for value in values]
        if not verdicts or any(verdict is None for verdict in verdicts):
            return None
        return all(verdicts) if all(verdicts) or not any(verdicts) else None

    def _call_result(self, node: ast.Call, depth: int) -> bool | None:
        dotted = self.module.dotted(node.func)
        if dotted is not None:
            dotted = self.workspace.library_name(dotted, self.module)
            if cuda_member(dotted) or dotted.startswith(("cupy.", "torch.", "rmm.", "cudf.")):
                return False
            if dotted.startswith("numpy."):
                name = dotted.rpartition(".")[2]
                if name in _GENERATORS:
                    return None
                if name in _CONVERSIONS:
                    # A number stays a number, an array an array.
                    if not node.args:
                        return None
                    listed = isinstance(node.args[0], ast.List)
                    return True if listed else self.is_host_array(node.args[0], depth - 1)
                return True if name in _CREATORS or ".random." in dotted or ".fft." in dotted else None
        if isinstance(node.func, ast.Attribute):
            if node.func.attr in _ARRAY_METHODS:
                return self.is_host_array(node.func.value, depth - 1)
            if node.func.attr in ("copy_to_host", "get"):
                return True if node.func.attr == "copy_to_host" else None
            if self.is_generator(node.func.value):
                return True
        return None

    def is_generator(self, node: ast.expr) -> bool:
        """Whether an expression is one of NumPy's random generators."""
        if isinstance(node, ast.Name):
            return any(self.is_generator(value) for value in self.bound(self.module, self.function, node.id))
        if isinstance(node, ast.Call):
            dotted = self.module.dotted(node.func) or ""
            return dotted.startswith("numpy.random.") and dotted.rpartition(".")[2] in _GENERATORS
        return False

    def _attribute_values(self, name: str) -> list[ast.expr]:
        """Every value that the class (and its bases in the workspace) binds to `self.name`."""
        found: list[ast.expr] = []
        classes = (
            [scope for scope in self.module.scopes(self.function) if isinstance(scope, ast.ClassDef)]
            if self.function
            else []
        )
        for owner in classes[:1]:
            found += _self_assignments(self.module, owner).get(name, [])
            if found:
                return found
            for parent in owner.bases:
                dotted = self.module.dotted(parent)
                place = self.workspace.member(dotted, self.module) if dotted else None
                base = place[0].top_level.get(place[1]) if place else None
                if place is not None and isinstance(base, ast.ClassDef):
                    inner = HostScope(place[0], None, self.workspace)
                    values = _self_assignments(place[0], base).get(name, [])
                    if values and all(inner.is_host_array(value) for value in values):
                        return (
                            [expression_tree("numpy.zeros(1)")]
                            if "numpy" in self.module.imports
                            else _numpy_call(self.module)
                        )
        return found

    def follows_data(self, node: ast.expr, depth: int = _DEPTH) -> bool:
        """Whether a block size is taken from a size of the data (`x.shape[0]`, `len(x)`)."""
        if depth == 0:
            return False
        if isinstance(node, ast.Tuple):
            return any(self.follows_data(item, depth) for item in node.elts)
        if isinstance(node, ast.Name):
            key = ("data", node.id, depth, 0)
            if key not in self._known:
                values = self.bound(self.module, self.function, node.id)
                self._known[key] = bool(values) and all(self.follows_data(one, depth - 1) for one in values)
            return bool(self._known[key])
        if isinstance(node, ast.Subscript):
            return self.follows_data(node.value, depth)
        if isinstance(node, ast.Attribute):
            return node.attr in ("shape", "size")
        if isinstance(node, ast.Call):
            name = (
                node.func.id
                if isinstance(node.func, ast.Name)
                else node.func.attr
                if isinstance(node.func, ast.Attribute)
                else ""
            )
            return name in ("len", "size") or (
                name == "int" and bool(node.args) and self.follows_data(node.args[0], depth)
            )
        return False


def _numpy_call(module: ModuleSyntax) -> list[ast.expr]:
    name = next((alias for alias, target in module.imports.items() if target.dotted == "numpy"), "numpy")
    return [expression_tree(f"{name}.zeros(1)")]


def _assignments_anywhere(module: ModuleSyntax, function: FunctionNode) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    every = sorted(
        (*module.inside(function, ast.Assign), *module.inside(function, ast.AnnAssign)),
        key=lambda node: node.lineno,
    )
    for assignment in every:
        for name, values in assignments([assignment]).items():
            found.setdefault(name, []).extend(values)
    for loop in module.inside(function, ast.For):
        for name in stored_names(loop.target):
            item = ast.Name(id="<item>", ctx=ast.Load())
            found.setdefault(name, []).append(ast.copy_location(item, loop))
    return found


def _self_assignments(module: ModuleSyntax, owner: ast.ClassDef) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for node in module.inside(owner, ast.Assign):
        for target in node.targets:
            if (
                isinstance(target, ast.Attribute)
                and isinstance(target.value, ast.Name)
                and target.value.id == "self"
            ):
                found.setdefault(target.attr, []).append(node.value)
    return found


def host_loops(module: ModuleSyntax, node: ast.AST) -> list[ast.For | ast.While]:
    """The loops of the enclosing function around a node, innermost first.

    Comprehensions do not count, nor do loops over items that are written out, of which there are few.
    """
    found: list[ast.For | ast.While] = []
    child, parent = node, module.parents.get(node)
    while parent is not None and not isinstance(
        parent, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
    ):
        written_out = isinstance(parent, ast.For) and isinstance(parent.iter, ast.List | ast.Tuple)
        if isinstance(parent, ast.For | ast.While) and child in parent.body and not written_out:
            found.append(parent)
        child, parent = parent, module.parents.get(parent)
    return found


def timing_loop(loop: ast.For | ast.While) -> bool:
    """Whether a loop repeats its body to measure time."""
    for node in below(loop):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if name and any(
            clock.rpartition(".")[2] in name.lower()
            for clock in ("perf_counter", "timeit", "timer", "elapsed", "benchmark")
        ):
            return True
    if _repeats(loop) and any(isinstance(one, ast.Call) and _reads_clock(one) for one in below(loop)):
        return True
    if isinstance(loop, ast.For):
        words = {inner.id.lower() for inner in below(loop.iter) if isinstance(inner, ast.Name)}
        return any(
            word in name
            for name in words
            for word in ("warmup", "repeat", "trial", "n_runs", "num_runs", "nruns")
        )
    return False


def _repeats(loop: ast.For | ast.While) -> bool:
    """Whether a loop does the same in each turn: its body never asks how many there were."""
    if not (isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call)):
        return False
    counters = stored_names(loop.target)
    return ast.unparse(loop.iter.func) == "range" and not any(
        isinstance(one, ast.Name) and one.id in counters and isinstance(one.ctx, ast.Load)
        for statement in loop.body
        for one in below(statement)
    )


def _reads_clock(call: ast.Call) -> bool:
    return not call.args and ast.unparse(call.func) in ("time", "time.time", "time.time_ns", "time.monotonic")
