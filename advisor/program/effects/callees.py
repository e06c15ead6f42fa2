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
from typing import TypeAlias

from advisor.program.kernels.called_functions import CalledFunctions
from advisor.program.kernels.declarations import cuda_member
from advisor.program.names.visible_names import is_imported, visible
from advisor.program.names.workspace import KNOWN_LIBRARIES, Workspace
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.tree_nodes import dotted_root

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


class Callees:
    """Answers for the calls of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._called = CalledFunctions(workspace)

    def known(self, call: ast.Call, module: ModuleSyntax, function: Body) -> Known | None:
        """What a function of Python, NumPy or Numba does with its arguments, None for any other."""
        if any(isinstance(one, ast.Starred) for one in call.args):
            return None
        root = dotted_root(call.func)
        if root is None or _is_bound(root, module, function):
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
        root = dotted_root(func)
        if root is not None and not _is_bound(root, module, function):
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
        return self._called.of(func, module, function)


def _may_be_replaced(module: ModuleSyntax) -> bool:
    """Whether `from m import *` may give a builtin's name to another function."""
    roots = (one.module.split(".")[0] for one in module.star_imports)
    return any(root not in KNOWN_LIBRARIES and root not in ("math", "cmath", "typing") for root in roots)


def _is_bound(root: ast.Name, module: ModuleSyntax, function: Body) -> bool:
    """Whether a name may stand for anything but what an import gives it, or Python itself."""
    seen = visible(module, root.id, root, None if isinstance(function, ast.Module) else function)
    return seen is None or not (seen.unbound or is_imported(module, root))
