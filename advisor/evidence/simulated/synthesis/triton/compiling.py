"""Compiles a kernel of Triton from its text, as far as PTX: in this process, without files or other programs.

The functions of the unit are defined in namespaces of their own, with the values that the source gives their
names and with Triton's modules; nothing of the workspace is imported.
"""

from __future__ import annotations

import ast
import importlib
import linecache
import types
import warnings
from dataclasses import dataclass
from typing import Any

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend

from advisor.evidence.simulated.synthesis.arguments import NotMade
from advisor.evidence.simulated.synthesis.triton.places import place_of_function
from advisor.model.machine_code.triton_unit import Constant, TritonFunctionText, TritonPlan, TritonUnit
from advisor.model.text.syntax_trees import syntax_tree

_WARP = 32
# For which versions of Triton 3 write code, so that no assembler is asked for its own.
_PTX_VERSION = 84
# Kernels are compiled for numbers that are multiples of it.
_DIVISOR = 16
_LARGEST_INT32 = (1 << 31) - 1


@dataclass(frozen=True)
class Compiled:
    """PTX with the name of the kernel in it, bytes of shared memory, and warps of each program."""

    ptx: str
    name: str
    shared: int
    warps: int


def jit_functions(unit: TritonUnit) -> list[Any]:
    """The functions of a unit below `triton.jit`, in order. Raises NotMade for names that Triton lacks."""
    spaces: list[dict[str, Any]] = []
    found = []
    for number, function in enumerate(unit.functions):
        space: dict[str, Any] = {"__name__": f"unit_function_{number}"}
        _import(function, space)
        for name, value in function.constants:
            _set(space, name, tl.constexpr(_own(value)))
        found.append(triton.jit(_defined(function, number, space)))
        spaces.append(space)
    for function, space in zip(unit.functions, spaces, strict=True):
        for name, number in function.links:
            _set(space, name, found[number])
    return found


def compiled(unit: TritonUnit, kernel: Any, plan: TritonPlan, capability: int) -> Compiled:
    """The code of a kernel for the types and constants of a plan. Raises NotMade where Triton refuses it."""
    signature, constants, attributes = _signature(unit, plan)
    target = GPUTarget("cuda", capability, _WARP)
    backend = make_backend(target)
    options = _options(backend, plan)
    source = ASTSource(kernel, signature, constants, attributes)
    try:
        return _ptx(source, backend, options, target)
    except Exception as problem:
        # The text of the kernel stands in the message too, with a caret below it.
        text = str(getattr(problem, "error_message", None) or problem)
        said = [one.strip() for one in text.splitlines() if any(map(str.isalpha, one))] or [""]
        raise NotMade(
            f"Triton does not compile the kernel: {type(problem).__name__} {said[-1][:160]}."
        ) from None


def _options(backend: Any, plan: TritonPlan) -> Any:
    """The options of a plan and Triton's defaults. What it says of defaults that will change is for those who
    launch the kernel, and they see it there.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return backend.parse_options({**dict(plan.options), "ptx_version": _PTX_VERSION})


def _ptx(source: Any, backend: Any, options: Any, target: Any) -> Compiled:
    from triton._C.libtriton import ir

    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    needed = (options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
    try:
        module = source.make_ir(target, *needed)
    except TypeError:
        module = source.make_ir(*needed)  # before Triton 3.5
    metadata: dict[str, Any] = {"target": target, **options.__dict__}
    stages: dict[str, Any] = {}
    try:
        backend.add_stages(stages, options, source.language)
    except TypeError:
        backend.add_stages(stages, options)
    for name, stage in stages.items():
        module = stage(module, metadata)
        if name == "ptx":
            break
    if metadata.get("global_scratch_size"):
        raise NotMade("The kernel asks for memory beside its arguments")
    return Compiled(str(module), metadata["name"], int(metadata["shared"]), int(metadata["num_warps"]))


def _signature(unit: TritonUnit, plan: TritonPlan) -> tuple[dict[str, str], dict[str, Any], dict[Any, Any]]:
    """Types by parameter, values of those that are known in compilation, and what divides the others."""
    signature: dict[str, str] = {}
    constants: dict[str, Any] = {name: _own(value) for name, value in plan.constants}
    constants |= {name: tl.dtype(kind) for name, kind in plan.types}
    attributes: dict[Any, Any] = {}
    pointers = {name: kind for name, kind, _ in plan.pointers}
    scalars = dict(plan.scalars)
    for number, name in enumerate(unit.parameters):
        if name in pointers:
            signature[name] = f"*{pointers[name]}"
            attributes[(number,)] = [["tt.divisibility", _DIVISOR]]
        elif name in scalars and not _is_one(scalars[name]):
            signature[name] = scalar_type(scalars[name])
            if type(scalars[name]) is int and scalars[name] % _DIVISOR == 0:
                attributes[(number,)] = [["tt.divisibility", _DIVISOR]]
        else:
            signature[name] = "constexpr"
            constants.setdefault(name, scalars.get(name))
    return signature, constants, attributes


def passed_scalars(unit: TritonUnit, plan: TritonPlan) -> list[str]:
    """The parameters that the PTX has, pointers and scalars, in order: Triton folds the number 1."""
    folded = {name for name, value in plan.scalars if _is_one(value)}
    constants = {name for name, _ in (*plan.constants, *plan.types)}
    return [one for one in unit.parameters if one not in folded | constants]


def scalar_type(value: int | float | bool) -> str:
    """Triton's type of a number of Python."""
    if isinstance(value, bool):
        return "u1"
    if isinstance(value, float):
        return "fp32"
    return "i32" if -_LARGEST_INT32 <= value <= _LARGEST_INT32 else "i64"


def _is_one(value: int | float | bool) -> bool:
    return type(value) is int and value == 1


def _own(value: Constant) -> Any:
    """A value as it was before it was sent to this process, which turns tuples into lists."""
    return tuple(map(_own, value)) if isinstance(value, list | tuple) else value


def _import(function: TritonFunctionText, space: dict[str, Any]) -> None:
    for alias, dotted in function.imports:
        module, _, name = dotted.rpartition(".")
        try:
            space[alias] = importlib.import_module(dotted)
            continue
        except ImportError:
            pass
        try:
            space[alias] = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError, ValueError):
            raise NotMade(f"This version of Triton has no {dotted}.") from None


def _set(space: dict[str, Any], name: str, value: Any) -> None:
    """Bind `a.b.c`, the names before the last as modules."""
    *heads, last = name.split(".")
    for head in heads:
        inner = space.get(head)
        if inner is None:
            inner = space[head] = types.ModuleType(head)
        space = vars(inner)
    space[last] = value


def _defined(function: TritonFunctionText, number: int, space: dict[str, Any]) -> Any:
    """The function without decorators and annotations, which Triton reads in its text."""
    path = place_of_function(number)
    linecache.cache[path] = (len(function.source), None, function.source.splitlines(True), path)
    tree = syntax_tree(function.source)
    node = tree.body[0]
    if not isinstance(node, ast.FunctionDef):
        raise NotMade("The kernel is no function.")
    node.decorator_list, node.returns = [], None
    arguments = node.args
    for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if one.annotation is not None:
            constant = "constexpr" in ast.unparse(one.annotation)
            one.annotation = ast.Constant("constexpr") if constant else None
    arguments.defaults = [_plain(one) for one in arguments.defaults]
    arguments.kw_defaults = [None if one is None else _plain(one) for one in arguments.kw_defaults]
    ast.fix_missing_locations(tree)
    exec(compile(tree, path, "exec"), space)
    return space[node.name]


_PLAIN = (ast.Constant, ast.Name, ast.Attribute, ast.UnaryOp, ast.Tuple, ast.Load, ast.USub)


def _plain(default: ast.expr) -> ast.expr:
    """A default value that calls nothing; None for another one."""
    return default if all(isinstance(one, _PLAIN) for one in ast.walk(default)) else ast.Constant(None)
