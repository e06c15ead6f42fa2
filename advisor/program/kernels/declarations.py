"""The kernels and device functions of a module, in every form in which they are declared."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from advisor.model.records import kernel_key
from advisor.program.kernels.compiling_calls import is_mapping
from advisor.program.kernels.function_values import function_of
from advisor.program.kernels.functions_in_lists import functions_of, may_be_item_of_functions
from advisor.program.kernels.jit_expressions import Compiler, Jit, Use
from advisor.program.names.earlier_numba import jit_with_gpu_target
from advisor.program.names.library_names import CPU_COMPILERS
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.tree_nodes import below, below_in_scope

_CUDA_ROOTS = ("numba.cuda.", "numba_cuda.numba.cuda.", "numba_cuda_mlir.cuda.")
_CPU = frozenset({"numba.jit", "numba.njit"})
_GPU = frozenset({"numba.cuda.jit"})


@dataclass
class Declaration:
    """One function compiled for the GPU.

    `options` maps the decorator's keywords to their expressions; `signature` is the expression of the types
    it is compiled for; `form` says how it was declared (decorator, call, wrapped); `device` is None when
    `device=` is not a literal, and is settled by use. `calls` are those that compile it where no decorator
    does, perhaps in another module; `uses` are the places of `cuda.jit` behind all this. With
    `has_open_options` there may be more options than these, as in `cuda.jit(**options)`.
    """

    module: ModuleSyntax
    node: FunctionNode
    device: bool | None = False
    options: dict[str, ast.expr] = field(default_factory=dict)
    signature: ast.expr | None = None
    form: str = "decorator"
    names: tuple[str, ...] = ()
    calls: list[ast.Call] = field(default_factory=list)
    uses: frozenset[Use] = frozenset()
    has_open_options: bool = False

    @property
    def name(self) -> str:
        """The name in the `def`."""
        return self.node.name

    @property
    def qualname(self) -> str:
        """The dotted name within the module."""
        return self.module.qualname(self.node)

    @property
    def key(self) -> str:
        """The key of its record."""
        return kernel_key(self.module.path, self.qualname, self.node.lineno)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its positional parameters."""
        arguments = self.node.args
        return tuple(argument.arg for argument in [*arguments.posonlyargs, *arguments.args])

    @property
    def states_types(self) -> bool:
        """Whether it says which types it takes, so that it is compiled where it is declared; NumbaPro called
        them `argtypes`.
        """
        argtypes = self.options.get("argtypes")
        return self.signature is not None or (
            argtypes is not None and not (isinstance(argtypes, ast.Constant) and argtypes.value is None)
        )

    def option(self, name: str) -> object:
        """The literal value of a decorator option, None when absent or not a literal."""
        value = self.options.get(name)
        return value.value if isinstance(value, ast.Constant) else None


def cuda_member(dotted: str | None) -> str | None:
    """`jit` for `numba.cuda.jit`: the name inside numba's CUDA package, None for anything else."""
    if dotted is None:
        return None
    for root in _CUDA_ROOTS:
        if dotted.startswith(root):
            return dotted[len(root) :]
    return None


def find_declarations(module: ModuleSyntax, workspace: Workspace) -> list[Declaration]:
    """The module's kernels and device functions in order of lines; `device` is settled by use.

    Functions of other modules that this one compiles are among them.
    """
    jit = Jit(workspace)
    found: dict[FunctionNode, Declaration] = {}
    for function in module.functions:
        for decorator in function.decorator_list:
            compiler = jit.decorator(decorator, module)
            if compiler and not meant_for_cpu(function, decorator, module, workspace):
                found[function] = _declare(module, function, compiler)
                break
    for call in module.calls:
        if _may_hand_on_a_function(call, module):
            _compile(call, module, jit, found)
    declarations = sorted(found.values(), key=lambda declaration: declaration.node.lineno)
    _settle_device(declarations, module)
    return declarations


def find_cpu_functions(module: ModuleSyntax, workspace: Workspace) -> list[Declaration]:
    """The functions that decorators and calls of a module compile for the CPU, as device functions: that is
    what they are in a kernel that calls them.
    """
    found = []
    if "numba" not in module.source.text and "jit" not in module.source.text:
        return []
    for function in module.functions:
        if any(_is_for_cpu(one, module, workspace) for one in function.decorator_list):
            found.append(Declaration(module, function, True, names=(function.name,), form="cpu"))
    for call in module.calls:
        if call.args and _may_hand_on_a_function(call, module) and _is_for_cpu(call.func, module, workspace):
            target = function_of(call.args[0], module, workspace)
            if target is not None:
                names = (target[1].name, *_names_bound(call, module))
                found.append(Declaration(*target, True, names=names, form="cpu"))
    return found


def _is_for_cpu(node: ast.expr, module: ModuleSyntax, workspace: Workspace) -> bool:
    dotted = module.dotted(node.func if isinstance(node, ast.Call) else node)
    if dotted is None:
        return False
    name = workspace.library_name(dotted, module)
    return name in CPU_COMPILERS and not (isinstance(node, ast.Call) and jit_with_gpu_target(node, name))


def _may_hand_on_a_function(call: ast.Call, module: ModuleSyntax) -> bool:
    """Whether an argument of a call may be a function, or a list of them, at first sight."""
    if is_mapping(call, module):
        return True
    for given in (*call.args, *(one.value for one in call.keywords)):
        if isinstance(given, ast.Attribute):
            if given.attr in module.functions_by_name or given.attr == "py_func":
                return True
        elif (
            isinstance(given, ast.Name)
            and (
                given.id in module.functions_by_name
                or given.id in module.imports
                or given.id in module.assigned
                or module.star_imports
            )
        ) or may_be_item_of_functions(given, module):
            return True
    return False


def _compile(call: ast.Call, module: ModuleSyntax, jit: Jit, found: dict[FunctionNode, Declaration]) -> None:
    """Add the functions that a call compiles to those that are known."""
    for one in jit.compilations(call, module):
        targets = functions_of(one.function, module, jit.workspace)
        # A name that stands for several is that of none.
        names = _names_bound(call, module) if len(targets) == 1 else []
        for home, function in targets:
            known = found.get(function)
            if known is None:
                if home is not module and _is_compiled_at_home(function, home, jit):
                    continue
                known = found[function] = _declare(home, function, one.by, one.function)
            known.names = tuple(dict.fromkeys([*known.names, *names]))
            known.calls.append(call)
            known.uses |= one.by.uses


def _is_compiled_at_home(function: FunctionNode, home: ModuleSyntax, jit: Jit) -> bool:
    return any(jit.decorator(one, home) is not None for one in function.decorator_list)


def _declare(
    module: ModuleSyntax, node: FunctionNode, by: Compiler, function: ast.expr | None = None
) -> Declaration:
    """A declaration with the options of what compiles it; `function` is the argument that stands for it."""
    declaration = Declaration(module, node, form=by.form, names=(node.name,), uses=by.uses)
    for call in by.calls:
        for keyword in call.keywords:
            if keyword.arg is None:
                declaration.has_open_options = True
            elif keyword.value is not function:
                declaration.options[keyword.arg] = keyword.value
        for argument in call.args[:1]:
            if argument is not function:
                declaration.signature = argument
    declaration.signature = declaration.options.pop(
        "signature", declaration.signature
    ) or declaration.options.pop("func_or_sig", None)
    device = declaration.options.get("device")
    if device is not None:
        declaration.device = bool(device.value) if isinstance(device, ast.Constant) else None
    return declaration


def _names_bound(call: ast.Call, module: ModuleSyntax) -> list[str]:
    """The names and attributes that an assignment gives the result of a call."""
    parent = module.parents.get(call)
    if not isinstance(parent, ast.Assign) or is_mapping(call, module):
        return []
    names = [target.id for target in parent.targets if isinstance(target, ast.Name)]
    return names + [target.attr for target in parent.targets if isinstance(target, ast.Attribute)]


def _settle_device(declarations: list[Declaration], module: ModuleSyntax) -> None:
    called = {
        call.func.id
        for declaration in declarations
        for call in declaration.module.inside(declaration.node, ast.Call)
        if isinstance(call.func, ast.Name)
    }
    called |= module.elsewhere.called
    launched = launched_in(module.calls) | module.elsewhere.launched if declarations else set()
    times = Counter(name for declaration in declarations for name in set(declaration.names))
    for declaration in declarations:
        if declaration.device:
            continue
        names = set(declaration.names)
        # One that is launched and returns a value all the same is a kernel that Numba refuses.
        only_launched = any(times[name] == 1 for name in names & launched) and not names & called
        if (_returns_value(declaration) and not only_launched) or (names & called and not names & launched):
            declaration.device = True
        elif declaration.device is None:
            declaration.device = False


def called_names(node: FunctionNode) -> set[str]:
    """Names that a function calls."""
    return {
        inner.func.id
        for inner in below(node)
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name)
    }


def _returns_value(declaration: Declaration) -> bool:
    """Whether a function itself returns a value; what functions in it return is theirs."""
    returned = (one.value for one in below_in_scope(declaration.node) if isinstance(one, ast.Return))
    return any(
        one is not None and not (isinstance(one, ast.Constant) and one.value is None) for one in returned
    )


def names_checked(node: FunctionNode) -> set[str]:
    """Names that a function calls which looks at a remainder, and raises or asserts."""
    remainders = refuses = False
    for one in below(node):
        remainders |= isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod)
        refuses |= isinstance(one, ast.Raise | ast.Assert)
    return called_names(node) if remainders and refuses else set()


def launched_in(calls: Iterable[ast.Call]) -> set[str]:
    """Names that are subscripted, or configured with a call, and then called."""
    found = set()
    for call in calls:
        target = None
        if isinstance(call.func, ast.Subscript):
            target = call.func.value
        elif isinstance(call.func, ast.Call) and isinstance(call.func.func, ast.Attribute):
            target = call.func.func.value if call.func.func.attr == "configure" else None
        if isinstance(target, ast.Name):
            found.add(target.id)
        elif isinstance(target, ast.Attribute):
            found.add(target.attr)
    return found


def meant_for_cpu(
    function: FunctionNode, decorator: ast.expr, module: ModuleSyntax, workspace: Workspace
) -> bool:
    """Whether a function below a decorator that may stand for `cuda.jit` is the one for the CPU.

    It is where its loops are `prange`, which numba compiles for the CPU alone, or where a condition around it
    names none of the modes for which the decorator's own branches choose the GPU.
    """
    target = decorator
    while isinstance(target, ast.Call):
        target = target.func
    if _named(target, module, workspace) in _GPU:
        return False
    if any(
        isinstance(node, ast.Call) and _named(node.func, module, workspace) == "numba.prange"
        for node in below(function)
    ):
        return True
    modes = _gpu_modes(target, module, workspace)
    return bool(modes) and any(_excludes(test, holds, modes) for test, holds in _conditions(function, module))


def _named(node: ast.expr, module: ModuleSyntax, workspace: Workspace) -> str | None:
    dotted = module.dotted(node)
    return None if dotted is None else workspace.library_name(dotted, module)


def _gpu_modes(target: ast.expr, module: ModuleSyntax, workspace: Workspace) -> frozenset[str]:
    """The texts for which the function behind a decorator chooses the GPU; none where it knows no CPU."""
    dotted = module.dotted(target)
    place = workspace.member(dotted, module) if dotted else None
    chooser = place[0].top_level.get(place[1]) if place else None
    if place is None or chooser is None:
        return frozenset()
    calls = [node for node in below(chooser) if isinstance(node, ast.Call)]
    compilers = {id(call): _named(call.func, place[0], workspace) for call in calls}
    if not _CPU & set(compilers.values()):
        return frozenset()
    modes: set[str] = set()
    for call in calls:
        if compilers[id(call)] in _GPU:
            for test, holds in _conditions(call, place[0]):
                modes |= _texts(test, holds)
    return frozenset(modes)


def _conditions(node: ast.AST, module: ModuleSyntax) -> list[tuple[ast.expr, bool]]:
    """The tests of the branches around a node, and whether they hold where it stands."""
    found = []
    parent = module.parents.get(node)
    while parent is not None:
        if isinstance(parent, ast.If) and node is not parent.test:
            found.append((parent.test, any(node is one for one in parent.body)))
        node, parent = parent, module.parents.get(parent)
    return found


def _texts(test: ast.expr, holds: bool) -> frozenset[str]:
    """The texts of which a value is one where a comparison turns out so."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return frozenset()
    if not isinstance(test.ops[0], (ast.Eq, ast.In) if holds else (ast.NotEq, ast.NotIn)):
        return frozenset()
    given = test.comparators[0]
    items = given.elts if isinstance(given, ast.Tuple | ast.List | ast.Set) else [given]
    texts = [one.value for one in items if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return frozenset(texts) if len(texts) == len(items) else frozenset()


def _excludes(test: ast.expr, holds: bool, modes: frozenset[str]) -> bool:
    """Whether a test that turned out so says that the mode is none of these."""
    stated, left_out = _texts(test, holds), _texts(test, not holds)
    return (bool(stated) and not stated & modes) or modes <= left_out
