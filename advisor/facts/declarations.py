"""The kernels and device functions of a module, in every form in which they are declared."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from advisor.facts.chosen_compilers import meant_for_cpu
from advisor.facts.module import FunctionNode, ModuleSyntax
from advisor.facts.tree_nodes import below
from advisor.facts.workspace import Workspace
from advisor.records import kernel_key

_CUDA_ROOTS = ("numba.cuda.", "numba_cuda.numba.cuda.", "numba_cuda_mlir.cuda.")
_DEPTH = 3


@dataclass
class Declaration:
    """One function compiled for the GPU.

    `options` maps the decorator's keywords to their expressions; `signature` is the expression of the types
    it is compiled for; `form` says how it was declared (decorator, call, wrapped); `device` is None when
    `device=` is not a literal, and is settled by use.
    """

    module: ModuleSyntax
    node: FunctionNode
    device: bool | None = False
    options: dict[str, ast.expr] = field(default_factory=dict)
    signature: ast.expr | None = None
    form: str = "decorator"
    names: tuple[str, ...] = ()

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


class Jit:
    """Recognises expressions that stand for `cuda.jit`, through aliases, partial calls and wrappers."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._wrappers: dict[tuple[int, str], bool] = {}

    def decorator(
        self, node: ast.expr, module: ModuleSyntax, depth: int = _DEPTH
    ) -> tuple[str, list[ast.Call]] | None:
        """The form and the calls that carry options when `node` stands for `cuda.jit`, else None."""
        if isinstance(node, ast.Call):
            inner = self.decorator(node.func, module, depth)
            return None if inner is None else (inner[0], [*inner[1], node])
        dotted = module.dotted(node)
        if dotted is None:
            return None
        if cuda_member(self.workspace.library_name(dotted, module)) == "jit":
            return "decorator", []
        if depth == 0:
            return None
        if isinstance(node, ast.Name):
            return self._named(node.id, module, depth)
        found = self.workspace.member(dotted, module) if dotted and not dotted.startswith("self.") else None
        return self._named(found[1], found[0], depth - 1) if found else None

    def _named(self, name: str, module: ModuleSyntax, depth: int) -> tuple[str, list[ast.Call]] | None:
        for value in module.assigned.get(name, ()):
            if isinstance(value, ast.Call | ast.Name | ast.Attribute) and not self._applied(
                value, module, depth
            ):
                found = self.decorator(value, module, depth - 1)
                if found:
                    return found
        definition = module.top_level.get(name)
        if definition is not None:
            return ("wrapped", []) if self._wraps(definition, module) else None
        place = self.workspace.definition(name, module)
        if place is None or (place[0] is module and place[1] == name):
            return None
        return self._named(place[1], place[0], depth - 1)

    def _applied(self, value: ast.expr, module: ModuleSyntax, depth: int) -> bool:
        """Whether `value` is `cuda.jit` already applied to a function, thus a kernel and no decorator."""
        if not isinstance(value, ast.Call):
            return False
        function = applied_function(value, module)
        return function is not None and self.decorator(value.func, module, depth - 1) is not None

    def _wraps(self, definition: FunctionNode | ast.ClassDef, module: ModuleSyntax) -> bool:
        """Whether a function or class hands a function it receives to `cuda.jit`, so is a decorator."""
        key = (id(module), definition.name)
        if key not in self._wrappers:
            self._wrappers[key] = _receives_function(definition) and any(
                isinstance(node, ast.Call)
                and cuda_member(module.dotted(node.func)) == "jit"
                and bool(node.args)
                for node in below(definition)
            )
        return self._wrappers[key]


def _receives_function(definition: FunctionNode | ast.ClassDef) -> bool:
    if isinstance(definition, ast.ClassDef):
        names = {item.name for item in definition.body if isinstance(item, ast.FunctionDef)}
        return bool(names & {"__call__", "__getitem__"})
    arguments = {argument.arg for argument in definition.args.args}
    for node in below(definition):
        if isinstance(node, ast.Call):
            handed = {argument.id for argument in node.args if isinstance(argument, ast.Name)}
            inner = {item.name for item in below(definition) if isinstance(item, ast.FunctionDef)} - {
                definition.name
            }
            if handed & arguments or (handed & inner):
                nested = [item for item in below(definition) if isinstance(item, ast.FunctionDef)]
                return bool(handed & arguments) or len(nested) > 1
    return False


def applied_function(call: ast.Call, module: ModuleSyntax) -> FunctionNode | None:
    """The function of this module that a call receives as its first argument, looked up inside out."""
    if not call.args or not isinstance(call.args[0], ast.Name):
        return None
    candidates = module.functions_by_name.get(call.args[0].id)
    if not candidates:
        return None
    scopes = [*module.scopes(call), None]
    placed = [
        (scopes.index(scope), node) for node in candidates if (scope := module.scope_of(node)) in scopes
    ]
    return min(placed, key=lambda item: item[0])[1] if placed else None


def find_declarations(module: ModuleSyntax, workspace: Workspace) -> list[Declaration]:
    """The module's kernels and device functions in order of lines; `device` is settled by use."""
    jit = Jit(workspace)
    found: dict[FunctionNode, Declaration] = {}
    for function in module.functions:
        for decorator in function.decorator_list:
            recognised = jit.decorator(decorator, module)
            if recognised and not meant_for_cpu(function, decorator, module, workspace):
                found[function] = _declare(module, function, recognised[1], recognised[0])
                break
    for call in module.calls:
        target = applied_function(call, module)
        if target is None or target in found:
            continue
        recognised = jit.decorator(call.func, module, depth=1)
        if recognised and recognised[0] == "decorator":
            found[target] = _declare(module, target, [*recognised[1], call], "call")
    declarations = sorted(found.values(), key=lambda declaration: declaration.node.lineno)
    _settle_device(declarations)
    return declarations


def _declare(module: ModuleSyntax, node: FunctionNode, calls: list[ast.Call], form: str) -> Declaration:
    declaration = Declaration(module, node, form=form, names=_bound_names(module, node, calls))
    for call in calls:
        for keyword in call.keywords:
            if keyword.arg:
                declaration.options[keyword.arg] = keyword.value
        for argument in call.args[:1]:
            if not (isinstance(argument, ast.Name) and argument.id == node.name):
                declaration.signature = argument
    declaration.signature = declaration.options.pop(
        "signature", declaration.signature
    ) or declaration.options.pop("func_or_sig", None)
    device = declaration.options.get("device")
    if device is not None:
        declaration.device = bool(device.value) if isinstance(device, ast.Constant) else None
    return declaration


def _bound_names(module: ModuleSyntax, node: FunctionNode, calls: list[ast.Call]) -> tuple[str, ...]:
    names = [node.name]
    parent = module.parents.get(calls[-1]) if calls else None
    if isinstance(parent, ast.Assign):
        names += [target.id for target in parent.targets if isinstance(target, ast.Name)]
        names += [target.attr for target in parent.targets if isinstance(target, ast.Attribute)]
    return tuple(dict.fromkeys(names))


def _settle_device(declarations: list[Declaration]) -> None:
    called = {name for declaration in declarations for name in called_names(declaration.node)}
    launched = {name for declaration in declarations for name in launched_names(declaration.module)}
    for module in {id(one.module): one.module for one in declarations}.values():
        called, launched = called | module.elsewhere.called, launched | module.elsewhere.launched
    for declaration in declarations:
        if declaration.device:
            continue
        names = set(declaration.names)
        if _returns_value(declaration.node) or (names & called and not names & launched):
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


def _returns_value(node: FunctionNode) -> bool:
    return any(
        isinstance(inner, ast.Return)
        and inner.value is not None
        and not (isinstance(inner.value, ast.Constant) and inner.value.value is None)
        for inner in below(node)
    )


def launched_names(module: ModuleSyntax) -> set[str]:
    """Names that are subscripted and then called somewhere in the module, as a launch is."""
    cached: set[str] | None = getattr(module, "_launched", None)
    if cached is None:
        cached = launched_in(module.calls)
        module._launched = cached  # type: ignore[attr-defined]
    return cached


def names_checked(node: FunctionNode) -> set[str]:
    """Names that a function calls which looks at a remainder, and raises or asserts."""
    remainders = refuses = False
    for one in below(node):
        remainders |= isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod)
        refuses |= isinstance(one, ast.Raise | ast.Assert)
    return called_names(node) if remainders and refuses else set()


def launched_in(calls: Iterable[ast.Call]) -> set[str]:
    """Names that are subscripted and then called."""
    found = set()
    for call in calls:
        if isinstance(call.func, ast.Subscript):
            target = call.func.value
            if isinstance(target, ast.Name):
                found.add(target.id)
            elif isinstance(target, ast.Attribute):
                found.add(target.attr)
    return found
