"""What of a kernel's code Numba does not compile for a GPU, and whether that is the code's fault."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from advisor.model.compilation_unit import Rejection
from advisor.program.kernels.declarations import Declaration
from advisor.program.names.scope_bindings import scope_bindings
from advisor.program.names.workspace import Workspace
from advisor.program.resolution.undefined_names import expects_errors
from advisor.program.syntax.module import DEFINING_WORDS, EXTENDING_WORDS, FunctionNode, ModuleSyntax
from advisor.program.syntax.tree_nodes import below_in_scope

_STATEMENTS: dict[type[ast.AST], str] = {
    ast.Try: "`try` is a statement that Numba does not compile for a GPU",
    ast.With: "`with` is a statement that Numba does not compile for a GPU",
    ast.AsyncWith: "`with` is a statement that Numba does not compile for a GPU",
    ast.AsyncFor: "`async` is nothing that Numba compiles",
    ast.Await: "`await` is nothing that Numba compiles",
    ast.ClassDef: "a kernel cannot define a class",
    ast.Import: "a kernel cannot import anything",
    ast.ImportFrom: "a kernel cannot import anything",
    ast.Yield: "a kernel cannot `yield`",
    ast.YieldFrom: "a kernel cannot `yield`",
    ast.Set: "a kernel cannot make a set",
    ast.SetComp: "a kernel cannot make a set",
    ast.ListComp: "a kernel cannot make a list",
    ast.DictComp: "a kernel cannot make a dictionary",
    ast.Dict: "a kernel cannot make a dictionary",
    ast.GeneratorExp: "a kernel cannot have generators",
}
# Functions of NumPy whose result is a new array, whatever they are given.
_MAKE_ARRAYS = frozenset(
    {
        "append", "arange", "argsort", "argwhere", "array", "asarray", "bincount", "column_stack",
        "concatenate", "convolve", "copy", "cross", "cumprod", "cumsum", "delete", "diff", "dstack", "empty",
        "empty_like", "eye", "full", "full_like", "histogram", "hstack", "identity", "insert", "kron",
        "linspace", "logspace", "meshgrid", "nonzero", "ones", "ones_like", "outer", "repeat", "roll", "sort",
        "stack", "tile", "tri", "unique", "vander", "vstack", "zeros", "zeros_like",
    }
)  # fmt: skip
_NO_MEMORY = "a kernel has no memory to make a new array in"
# Numba's own memory on the device, which is off unless a program asks for it.
_DEVICE_MEMORY = "ENABLE_NRT"
# Modules of Python of which Numba compiles functions, and those for a look into the simulated kernel.
_COMPILED = frozenset({"math", "cmath", "operator", "builtins"})
_DEBUGGERS = frozenset({"pdb", "ipdb", "bdb", "code"})
# Libraries of arrays and tables that teach Numba nothing for a GPU.
_OF_HOST = frozenset({"cupy", "cv2", "jax", "matplotlib", "pandas", "sklearn", "tensorflow", "torch"})
# How many arguments an atomic operation takes.
_ATOMIC = dict.fromkeys(
    ("add", "sub", "and_", "or_", "xor", "inc", "dec", "exch", "max", "min", "nanmax", "nanmin"), 3
) | {"compare_and_swap": 3, "cas": 4}


def is_own_fault(declaration: Declaration, workspace: Workspace) -> bool:
    """Whether a kernel that the compiler refuses is wrong itself: nothing teaches Numba further functions or
    types, defines names at run time, or runs kernels in Numba's simulator, and no error is expected.
    """
    module = declaration.module
    near = [module]
    for imported in (*module.imports.values(), *module.star_imports):
        found = workspace.find(imported, module)
        if found is not None:
            near.append(found)
    if any(one.mentions(word) for one in near for word in (*DEFINING_WORDS, *EXTENDING_WORDS)):
        return False
    if any(_DEVICE_MEMORY in one.source.text for one in near):
        return False
    return not any(map(expects_errors, (declaration.node, *module.scopes(declaration.node))))


def refused_statements(function: FunctionNode, module: ModuleSyntax, kernel: bool) -> Iterator[Rejection]:
    """The statements and expressions of a function that Numba does not compile for a GPU, by line; a `kernel`
    returns nothing.

    What only a value of the module leads to may be left out by the compiler.
    """
    found = []
    for node in below_in_scope(function):
        reason = _STATEMENTS.get(type(node))
        if kernel and isinstance(node, ast.Return) and _is_value(node.value):
            reason = "a kernel cannot return a value"
        elif isinstance(node, ast.Call):
            reason = _refused_call(node, module)
        elif isinstance(node, ast.List) and isinstance(module.parents.get(node), ast.Assign):
            reason = "a kernel cannot make a list"
        if reason is not None and not _is_debugging(node) and not may_be_left_out(node, function, module):
            found.append(Rejection(reason, module.path, getattr(node, "lineno", function.lineno)))
    return iter(sorted(found, key=lambda one: one.line))


def _refused_call(call: ast.Call, module: ModuleSyntax) -> str | None:
    """Why no compiler takes a call of NumPy: its result would need memory, or another library computes it;
    and of an atomic operation that lacks arguments.
    """
    library, _, name = (module.dotted(call.func) or "").partition(".")
    if library == "numba" and name.startswith("cuda.atomic.") and not call.keywords:
        wanted = _ATOMIC.get(name.rpartition(".")[2])
        if wanted is not None and len(call.args) < wanted and not _is_starred(call):
            return f"`{ast.unparse(call.func)}` takes an array, an index and what is stored there"
    if library != "numpy":
        return None
    if name.startswith("linalg.") or name in ("dot", "matmul", "vdot"):
        return f"`{ast.unparse(call.func)}` needs a library of the host"
    return _NO_MEMORY if name in _MAKE_ARRAYS else None


def _is_starred(call: ast.Call) -> bool:
    return any(isinstance(one, ast.Starred) for one in call.args)


def library_of_host(dotted: str) -> str:
    """The library of a dotted name if Numba compiles nothing of it; empty for any other."""
    root = dotted.partition(".")[0]
    return root if root in _OF_HOST else ""


def calls(node: ast.expr, module: ModuleSyntax) -> bool:
    """Whether an expression is called."""
    parent = module.parents.get(node)
    return isinstance(parent, ast.Call) and parent.func is node


def called_of_library(name: ast.expr, module: ModuleSyntax) -> str:
    """The function of Python's own library that the expression around a name calls, as it is written; empty
    for any other, and for those that Numba knows.
    """
    node = name
    while isinstance(parent := module.parents.get(node), ast.Attribute):
        node = parent
    dotted = module.dotted(node)
    root = dotted.split(".")[0] if dotted and calls(node, module) else ""
    return ast.unparse(node) if root in sys.stdlib_module_names - _COMPILED - _DEBUGGERS else ""


def may_be_left_out(node: ast.AST, function: FunctionNode, module: ModuleSyntax) -> bool:
    """Whether a branch around a node asks for nothing that the function itself binds, so that the compiler
    leaves out one side.
    """
    own = scope_bindings(module, function).names.keys()
    above = module.parents.get(node)
    while above is not None and above is not function:
        if isinstance(above, ast.If | ast.IfExp | ast.While):
            names = {one.id for one in ast.walk(above.test) if isinstance(one, ast.Name)}
            if not names & own and not any(isinstance(one, ast.Call) for one in ast.walk(above.test)):
                return True
        above = module.parents.get(above)
    return False


def _is_value(returned: ast.expr | None) -> bool:
    """Whether what a function returns is something for certain; a call may give nothing."""
    if isinstance(returned, ast.Constant):
        return returned.value is not None
    return returned is not None and not isinstance(returned, ast.Call | ast.Name | ast.IfExp)


def _is_debugging(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return any(one.name.split(".")[0] in _DEBUGGERS for one in node.names)
    return isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in _DEBUGGERS
