"""What a call does with arrays, as far as its name tells: functions of Python, NumPy and Numba, methods of
arrays, and the functions of the workspace that a name may stand for.

In kernels the arguments of Python's own functions are numbers. What is said of NumPy's functions holds in
host code too.
"""

from __future__ import annotations

import ast
import builtins
import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from advisor.program.kernels.declarations import cuda_member
from advisor.program.kernels.function_values import function_of
from advisor.program.kernels.jit_expressions import Jit
from advisor.program.names.workspace import KNOWN_LIBRARIES, Workspace
from advisor.program.syntax.module import FunctionNode, ModuleSyntax, Scope
from advisor.program.syntax.tree_nodes import below

# What calls stand in: a function, or a module's own statements.
Body: TypeAlias = FunctionNode | ast.Module


class Known(enum.Enum):
    """What a known function does with arrays among its arguments."""

    # Reads them and gives a number, or a new array that shares nothing with them.
    NUMBERS = enum.auto()
    # Looks at no element.
    QUESTION = enum.auto()
    # Gives them, parts of them or something that holds them.
    SAME = enum.auto()
    # Reads and writes the first, reads the others.
    UPDATE = enum.auto()
    # Writes all of it.
    FILL = enum.auto()


_BUILTINS = {
    **dict.fromkeys(
        ("abs", "bool", "complex", "divmod", "float", "hash", "id", "int", "isinstance", "max", "min",
         "ord", "pow",
         "print", "range", "repr", "round", "str", "sum", "type"),
        Known.NUMBERS,
    ),
    **dict.fromkeys(("enumerate", "iter", "list", "next", "reversed", "tuple", "zip"), Known.SAME),
    "len": Known.QUESTION,
}  # fmt: skip
_MATHS = ("math.", "cmath.", "numba.cuda.libdevice.")
_TYPE = re.compile(
    r"(bool_?|boolean|u?int(8|16|32|64|p|c)?|float(16|32|64)?|complex(64|128)|double|single|half)"
)
# Functions of NumPy on numbers and arrays that give new ones, with how many arguments they take before `out`.
_NUMPY = {
    **dict.fromkeys(
        ("sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh",
         "arctanh",
         "deg2rad", "radians", "rad2deg", "degrees", "logical_not", "invert", "log", "log2", "log10",
         "log1p", "exp",
         "exp2", "expm1", "sqrt", "cbrt", "square", "abs", "absolute", "fabs", "sign", "floor", "ceil",
         "trunc",
         "rint", "isnan", "isinf", "isfinite", "conjugate", "conj", "sum", "prod", "mean", "std", "var",
         "min",
         "max", "amin", "amax", "negative", "reciprocal", "round"),
        1,
    ),
    **dict.fromkeys(
        ("arctan2", "hypot", "greater", "greater_equal", "less", "less_equal", "not_equal", "equal",
         "logical_and",
         "logical_or", "logical_xor", "maximum", "minimum", "fmax", "fmin", "bitwise_and", "bitwise_or",
         "bitwise_xor", "left_shift", "right_shift", "divide", "true_divide", "floor_divide", "add",
         "subtract",
         "multiply", "power", "mod", "remainder", "fmod", "copysign", "dot", "array", "copy", "array_equal"),
        2,
    ),
    **dict.fromkeys(("zeros_like", "ones_like", "empty_like", "full_like"), 3),
    **dict.fromkeys(("zeros", "ones", "empty", "repeat"), 3),
    **dict.fromkeys(("full", "eye", "arange", "linspace", "allclose"), 4),
    **dict.fromkeys(("concatenate", "stack", "tile"), 2),
    **dict.fromkeys(("hstack", "vstack"), 1),
}  # fmt: skip
# Functions of NumPy whose result may be, or be a part of, the array that they are given.
_GIVEN_BACK = frozenset({
    "real", "imag", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "reshape", "ravel",
    "transpose", "squeeze", "swapaxes", "diagonal", "split", "atleast_1d", "atleast_2d", "expand_dims",
})  # fmt: skip
# Keywords that do not change whether a result is a new array.
_HARMLESS = frozenset({"axis", "dtype", "order", "shape", "fill_value", "num", "endpoint"})
# Members of numba.cuda that take and give numbers, shapes and types.
_CUDA = re.compile(
    r"grid|gridsize|sync(threads|warp)\w*|threadfence\w*|shfl_\w*|(all|any|eq|ballot)_sync|match_\w+_sync|"
    r"activemask|lanemask_lt|popc|brev|clz|ffs|fma|cbrt|selp|nanosleep|(shared|local|const)\.array(_like)?|"
    r"libdevice\.\w+|fp16\.\w+|cg\.this_grid"
)
_CUDA_UPDATE = re.compile(
    r"atomic\.(add|sub|max|min|nanmax|nanmin|and_|or_|xor|inc|dec|exch|cas|compare_and_swap)|"
    r"random\.xoroshiro128p_\w+"
)
_VIEWS = frozenset({"view", "reshape", "ravel", "transpose", "squeeze", "swapaxes", "diagonal"})
_READING = frozenset({"sum", "prod", "mean", "std", "var", "min", "max", "any", "all", "item", "copy",
                      "flatten", "argmin", "argmax", "tolist"})  # fmt: skip


@dataclass
class Callees:
    """Answers for the calls of a workspace, each scope's names looked up once."""

    workspace: Workspace
    _own: dict[Body, frozenset[str]] = field(default_factory=dict)
    _bound: dict[Scope, dict[str, list[ast.AST]]] = field(default_factory=dict)
    _top: dict[int, dict[str, list[ast.AST]]] = field(default_factory=dict)

    def known(self, call: ast.Call, module: ModuleSyntax, function: Body) -> Known | None:
        """What a function of Python, NumPy or Numba does with its arguments, None for any other."""
        if any(isinstance(one, ast.Starred) for one in call.args):
            return None
        root: ast.expr = call.func
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or self._is_bound(root.id, module, function):
            return None
        imported = module.imports.get(root.id)
        if imported is None:
            plain = isinstance(call.func, ast.Name) and hasattr(builtins, root.id) and not call.keywords
            return _BUILTINS.get(root.id) if plain and not _may_be_replaced(module) else None
        dotted = module.dotted(call.func)
        return self._of_library(call, self.workspace.library_name(dotted, module)) if dotted else None

    def _of_library(self, call: ast.Call, dotted: str) -> Known | None:
        member = cuda_member(dotted)
        if member is not None:
            if _CUDA_UPDATE.fullmatch(member):
                return Known.UPDATE if call.args and not call.keywords else None
            if member.startswith("types.") and _TYPE.fullmatch(member.removeprefix("types.")):
                return Known.NUMBERS
            if member == "as_cuda_array":
                return Known.SAME
            return Known.NUMBERS if _CUDA.fullmatch(member) else None
        if dotted.startswith(_MATHS):
            return Known.NUMBERS
        root, _, name = dotted.partition(".")
        if root in ("numba", "numpy") and _TYPE.fullmatch(name.removeprefix("types.")):
            return Known.NUMBERS
        harmless = all(one.arg in _HARMLESS for one in call.keywords)
        if root == "numpy" and len(call.args) <= _NUMPY.get(name, -1) and harmless:
            return Known.NUMBERS
        return Known.SAME if root == "numpy" and name in _GIVEN_BACK else None

    def method(
        self, call: ast.Call, func: ast.Attribute, module: ModuleSyntax, function: Body
    ) -> Known | None:
        """What a method of an array does, given by its name, None for one that is not known."""
        if call.keywords or any(isinstance(one, ast.Starred) for one in call.args):
            return None
        root = func.value
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and not self._is_bound(root.id, module, function):
            return None
        if func.attr in _VIEWS:
            return Known.SAME
        if func.attr == "fill":
            return Known.FILL
        if func.attr == "astype":
            return Known.NUMBERS
        return Known.NUMBERS if func.attr in _READING and not call.args else None

    def functions(
        self, func: ast.expr, module: ModuleSyntax, function: FunctionNode
    ) -> list[tuple[ModuleSyntax, FunctionNode]] | None:
        """The functions of the workspace that a called name may stand for; None where there may be others."""
        if isinstance(func, ast.Attribute):
            dotted = module.dotted(func)
            root = func.value
            while isinstance(root, ast.Attribute):
                root = root.value
            if dotted is None or not isinstance(root, ast.Name) or self._is_bound(root.id, module, function):
                return None
            place = self.workspace.member(dotted, module)
            return self._at_top(place[1], place[0]) if place and root.id in module.imports else None
        if not isinstance(func, ast.Name):
            return None
        if func.id in self._own_names(function):
            return None
        for scope in module.scopes(function):
            bound = self._names_of(scope).get(func.id)
            if bound and not isinstance(scope, ast.ClassDef):
                return self._all(bound, module)
        if func.id in self._names_at_top(module):
            return self._at_top(func.id, module)
        place = self.workspace.definition(func.id, module)
        return self._at_top(place[1], place[0]) if place and place[0] is not module else None

    def _at_top(self, name: str, module: ModuleSyntax) -> list[tuple[ModuleSyntax, FunctionNode]] | None:
        bound = self._names_at_top(module).get(name)
        if not bound or name in module.bound_by_functions or name in module.imports:
            return None
        return self._all(bound, module)

    def _all(
        self, bound: list[ast.AST], module: ModuleSyntax
    ) -> list[tuple[ModuleSyntax, FunctionNode]] | None:
        found = [self._function(one, module) for one in bound]
        known = [(module, one) for one in found if one is not None]
        return known if len(known) == len(bound) else None

    def _function(self, bound: ast.AST, module: ModuleSyntax) -> FunctionNode | None:
        """The function that a definition, or `name = cuda.jit(…)(function)`, gives a name."""
        jit = Jit(self.workspace)
        if isinstance(bound, ast.FunctionDef):
            plain = all(_compiles(one, module, jit) for one in bound.decorator_list)
            return bound if plain else None
        if isinstance(bound, ast.Call) and _compiles(bound.func, module, jit):
            given = function_of(bound.args[0], module, self.workspace) if bound.args else None
            inner = given[1] if given is not None and given[0] is module else None
            return inner if inner is not None and not inner.decorator_list else None
        return None

    def _is_bound(self, name: str, module: ModuleSyntax, function: Body) -> bool:
        """Whether a name is one of the function's or of one around it, or given a value in the module."""
        if name in self._own_names(function):
            return True
        scopes = [one for one in module.scopes(function) if not isinstance(one, ast.ClassDef)]
        inner = any(name in self._names_of(scope) for scope in scopes)
        return inner or name in self._names_at_top(module) or name in module.bound_by_functions

    def _own_names(self, function: Body) -> frozenset[str]:
        """The names that a function or module binds, those of functions in it included."""
        found = self._own.get(function)
        if found is None:
            names: set[str] = set()
            for node in below(function):
                if node is not function:
                    names.update(_names_bound(node))
            found = self._own[function] = frozenset(names)
        return found

    def _names_of(self, scope: Scope) -> dict[str, list[ast.AST]]:
        """What binds each name of a function around another one, its parameters included."""
        found = self._bound.get(scope)
        if found is None:
            found = self._bound[scope] = _bindings([scope.args] if hasattr(scope, "args") else [])
            body = scope.body if isinstance(scope.body, list) else [scope.body]
            for name, nodes in _bindings(body).items():
                found.setdefault(name, []).extend(nodes)
        return found

    def _names_at_top(self, module: ModuleSyntax) -> dict[str, list[ast.AST]]:
        """What binds each name of a module, imports left out."""
        key = id(module)
        if key not in self._top:
            self._top[key] = _bindings(module.tree.body)
        return self._top[key]


def _compiles(node: ast.expr, module: ModuleSyntax, jit: Jit) -> bool:
    """Whether an expression stands for a decorator that compiles a function as it is written."""
    if jit.decorator(node, module) is not None:
        return True
    inner = node.func if isinstance(node, ast.Call) else node
    return module.dotted(inner) in ("numba.jit", "numba.njit")


def _may_be_replaced(module: ModuleSyntax) -> bool:
    """Whether `from m import *` may give a builtin's name to another function."""
    roots = (one.module.split(".")[0] for one in module.star_imports)
    return any(root not in KNOWN_LIBRARIES and root not in ("math", "cmath", "typing") for root in roots)


def _bindings(body: Sequence[ast.AST]) -> dict[str, list[ast.AST]]:
    """What binds each name in a scope: functions and assigned values as such, all else as its own node."""
    found: dict[str, list[ast.AST]] = {}
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Assign) and all(isinstance(one, ast.Name) for one in node.targets):
            for target in node.targets:
                found.setdefault(target.id, []).append(node.value)  # type: ignore[attr-defined]
            waiting.append(node.value)
            continue
        for name in _names_bound(node):
            found.setdefault(name, []).append(node)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return found


def _names_bound(node: ast.AST) -> list[str]:
    """The names that a node binds itself."""
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, ast.MatchMapping):
        return [node.rest] if node.rest else []
    named = (
        ast.FunctionDef
        | ast.AsyncFunctionDef
        | ast.ClassDef
        | ast.ExceptHandler
        | ast.MatchAs
        | ast.MatchStar
    )
    return [node.name] if isinstance(node, named) and node.name else []
