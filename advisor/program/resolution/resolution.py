"""What a name in a kernel refers to, followed through scopes, assignments and modules."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from advisor.program.kernels.declarations import Declaration
from advisor.program.kernels.jit_expressions import Jit
from advisor.program.names.library_names import (
    COMPILER_LIBRARIES,
    CPU_COMPILERS,
    MLIR_COMPILER,
    numbas_name,
    star_member,
)
from advisor.program.names.scope_names import parameter_defaults, parameter_names, rebound_names
from advisor.program.names.workspace import KNOWN_LIBRARIES, Workspace
from advisor.program.resolution.compile_time import CompileTime
from advisor.program.resolution.constant_values import ConstantValues
from advisor.program.resolution.factory_calls import Callers, FactoryCalls, made_function, text_of
from advisor.program.resolution.library_values import Undetermined
from advisor.program.resolution.literal_text import LibraryName, literal_text
from advisor.program.resolution.meanings import (
    BuiltinName,
    ClassName,
    ConstantName,
    FunctionName,
    Meaning,
    ModuleName,
    UnknownName,
    same_meaning,
)
from advisor.program.resolution.other_bindings import branches, copying_functions, items_of_loop
from advisor.program.resolution.other_values import other_meaning
from advisor.program.resolution.undefined_names import is_undefined
from advisor.program.syntax.assigned_values import value_given
from advisor.program.syntax.dynamic_imports import imported_module
from advisor.program.syntax.module import (
    FunctionNode,
    Import,
    ModuleSyntax,
    Scope,
    assignments,
)
from advisor.program.syntax.tree_nodes import dotted_parts

Scopes: TypeAlias = Sequence[Scope]
_Choice = TypeVar("_Choice")
# Names that stand for each other in ever new ways are given up after this many.
_MOST_STEPS = 5_000
_COMPILERS = COMPILER_LIBRARIES | {"numba_cuda", MLIR_COMPILER}


@dataclass(frozen=True, slots=True)
class _Written:
    """An expression with what it means, that as text, and what this assumes."""

    node: ast.expr
    meaning: Meaning
    text: str
    assumed: tuple[str, ...]


class Names:
    """Resolves names and dotted names of a workspace as the Python program would at its start."""

    def __init__(
        self,
        workspace: Workspace,
        declarations_of: Callable[[ModuleSyntax], list[Declaration]],
        choice: int = 0,
        callers: Callers | None = None,
        time: CompileTime | None = None,
    ) -> None:
        """Of several values that the source gives a name, that number of them is taken, or else the last.

        `callers` are the files where calls of functions that make kernels are looked for, beside their own.
        `time` is when the kernel that reads the names is compiled, where that matters. `other_compiler` is
        one whose names were met in the place of Numba's.
        """
        self.workspace = workspace
        self.most_values = 1
        self.other_compiler = ""
        self._time = time
        self._choice = choice
        self.jit = Jit(workspace)
        self._declarations_of = declarations_of
        self.compiled: set[FunctionNode] = set()
        self._declared: dict[int, tuple[ModuleSyntax, list[Declaration]]] = {}
        self._active: set[tuple[int, int, str, int]] = set()
        self._known: dict[tuple[int, int, str, int], tuple[Meaning, tuple[str, ...]]] = {}
        self._steps = self._cut = 0
        self._factory_calls = FactoryCalls(self, callers or {})
        self._assumed: list[str] = []

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What was assumed of the names that were asked for so far, each a sentence."""
        return tuple(dict.fromkeys(self._assumed))

    def chosen(self, values: Sequence[_Choice]) -> _Choice:
        """The one of several values that is taken; `most_values` is how many there were of a name."""
        self.most_values = max(self.most_values, len(values))
        return values[min(self._choice, len(values) - 1)]

    def apart(self, node: ast.expr, module: ModuleSyntax, scopes: Scopes) -> tuple[Meaning, tuple[str, ...]]:
        """What an expression means, and what that assumes, without noting it."""
        mark = len(self._assumed)
        meaning = self.meaning(node, module, scopes)
        assumed = tuple(self._assumed[mark:])
        del self._assumed[mark:]
        return meaning, assumed

    def declarations(self, module: ModuleSyntax) -> list[Declaration]:
        """The module's declarations, found once."""
        if id(module) not in self._declared:
            self._declared[id(module)] = (module, self._declarations_of(module))
        return self._declared[id(module)][1]

    def name(self, name: str, module: ModuleSyntax, scopes: Scopes = ()) -> Meaning:
        """What `name` means inside `scopes` (innermost first) of `module`."""
        key = (id(module), id(scopes[0]) if scopes else 0, name, id(self._time and self._time.node))
        if key in self._known:
            meaning, assumed = self._known[key]
            self._assumed += assumed
            return meaning
        if key in self._active or self._steps > _MOST_STEPS:
            self._cut += 1
            return UnknownName("it is defined by itself")
        self._active.add(key)
        self._steps += 1
        cut, mark = self._cut, len(self._assumed)
        try:
            found = self._looked_up(name, module, scopes)
        finally:
            self._active.discard(key)
        if isinstance(found, UnknownName):
            del self._assumed[mark:]
        # What was cut short in the middle of a circle is not what the name means elsewhere.
        if self._cut == cut:
            self._known[key] = found, tuple(self._assumed[mark:])
        return found

    def _looked_up(self, name: str, module: ModuleSyntax, scopes: Scopes) -> Meaning:
        for position, scope in enumerate(scopes):
            found = self._in_scope(name, module, scope, scopes[position:])
            if found is not None:
                return found
        return self._in_module(name, module)

    def attribute(
        self, parts: Sequence[str], module: ModuleSyntax, scopes: Scopes = ()
    ) -> tuple[Meaning, int]:
        """What `a.b.c` means, and how many of its parts that takes; the rest are attributes of that value."""
        meaning = self.name(parts[0], module, scopes)
        used = 1
        while used < len(parts) and isinstance(meaning, ModuleName | ClassName | LibraryName):
            meaning = self.member(meaning, parts[used])
            used += 1
        return meaning, used

    def member(self, owner: ModuleName | ClassName | LibraryName, name: str) -> Meaning:
        """What `owner.name` means."""
        if isinstance(owner, LibraryName):
            return self._library(f"{owner.dotted}.{name}")
        if isinstance(owner, ModuleName):
            return self._module_member(owner.module, name)
        return self._class_member(owner, name)

    def values(self, module: ModuleSyntax, scopes: Scopes) -> ConstantValues:
        """The evaluator for expressions that stand in `scopes` of `module`."""
        return ConstantValues(
            lambda parts: self.attribute(parts, module, scopes),
            lambda function: self.values(function.module, function.module.scopes(function.node)),
        )

    def meaning(self, node: ast.expr, module: ModuleSyntax, scopes: Scopes) -> Meaning:
        """What an expression bound to a name makes that name mean."""
        parts = dotted_parts(node)
        if parts:
            meaning, used = self.attribute(parts, module, scopes)
            if used == len(parts):
                return meaning
        if isinstance(node, ast.Call):
            dotted = imported_module(node, module)
            if dotted is not None:
                return self._import(
                    Import(dotted.lstrip("."), None, len(dotted) - len(dotted.lstrip("."))), module
                )
            function = self._compiled_function(node, module, scopes)
            if function := function or self._made_function(node, module, scopes):
                return function
        try:
            value = self.values(module, scopes).value(node)
        except Undetermined as problem:
            return UnknownName(problem.reason)
        return value if isinstance(value, LibraryName) else ConstantName(value)

    def _compiled_function(self, call: ast.Call, module: ModuleSyntax, scopes: Scopes) -> Meaning | None:
        """The function inside `cuda.jit(...)(f)`, `cuda.jit(f, device=True)`, `njit(f)`."""
        by = self.jit.decorator(call.func, module)
        if not call.args or (by and by.makes_another) or not self.is_compiler(call.func, module):
            return None
        parts = dotted_parts(call.args[0])
        if parts is None:
            return None
        meaning, used = self.attribute(parts, module, scopes)
        if isinstance(meaning, UnknownName) and len(parts) == 1:
            meaning = self._before_compilation(parts[0], module, scopes)
        if used != len(parts) or not isinstance(meaning, FunctionName):
            return None
        self.compiled.add(meaning.node)
        return meaning

    def _made_function(self, call: ast.Call, module: ModuleSyntax, scopes: Scopes) -> Meaning | None:
        """The one compiled function that a factory defines and returns, where it is called once."""
        made = made_function(self.apart(call.func, module, scopes)[0], module)
        known = made and any(one.node is made.node for one in self.declarations(made.module))
        return made if known else None

    def _before_compilation(self, name: str, module: ModuleSyntax, scopes: Scopes) -> Meaning:
        """What a name meant before `f = cuda.jit(f)` rebound it."""
        own = [f for f in module.functions_by_name.get(name, ()) if module.scope_of(f) in [*scopes, None]]
        if own:
            return FunctionName(module, own[-1])
        imported = module.imports.get(name)
        return self._import(imported, module) if imported else self._star(name, module)

    def is_compiler(self, node: ast.expr, module: ModuleSyntax) -> bool:
        """Whether an expression stands for a decorator that compiles a function, on the GPU or the CPU."""
        if self.jit.decorator(node, module) is not None:
            return True
        target = node.func if isinstance(node, ast.Call) else node
        dotted = module.dotted(target)
        return dotted is not None and self.workspace.library_name(dotted, module) in CPU_COMPILERS

    def _in_scope(self, name: str, module: ModuleSyntax, scope: Scope, scopes: Scopes) -> Meaning | None:
        if isinstance(scope, ast.ClassDef):
            return None
        if isinstance(scope, ast.Lambda):
            return UnknownName("a parameter of a lambda") if name in parameter_names(scope) else None
        functions = [f for f in module.functions_by_name.get(name, ()) if module.scope_of(f) is scope]
        bound = assignments(scope.body).get(name, [])
        if functions:
            return FunctionName(module, functions[-1])
        if name in rebound_names(scope):
            return self._of_loop(name, module, scope, scopes) or UnknownName(
                f"bound several times in {scope.name}"
            )
        if name in parameter_names(scope):
            return (
                UnknownName(f"a parameter of {scope.name} that is assigned")
                if bound
                else self._parameter(name, module, scope, scopes)
            )
        if bound:
            return self._agreed(bound, module, scopes, name)
        return None

    def _of_loop(
        self, name: str, module: ModuleSyntax, scope: FunctionNode, scopes: Scopes
    ) -> Meaning | None:
        """A value of a name that nothing but one loop over written values binds, the first to begin with."""
        items = items_of_loop(name, module, scope)
        values = self._different(items, module, scopes, none=True)
        if not values or values[0].node is not items[0]:
            return None
        one = self.chosen(values)
        which = "its first value" if one is values[0] else "a value of it"
        self._assumed.append(f"`{name}` is taken to be {one.text}, {which} in line {one.node.lineno}.")
        return one.meaning

    def _different(
        self, nodes: Iterable[ast.expr], module: ModuleSyntax, scopes: Scopes, none: bool = False
    ) -> list[_Written]:
        """The different values that expressions have and a kernel can read, in their order, None among them
        only where it is asked for.
        """
        found: dict[str, _Written] = {}
        for node in nodes:
            meaning, assumed = self.apart(node, module, scopes)
            text = text_of(meaning)
            if text is not None and (none or text != "None"):
                found.setdefault(text, _Written(node, meaning, text, assumed))
        return [*found.values()]

    def _parameter(self, name: str, module: ModuleSyntax, scope: FunctionNode, scopes: Scopes) -> Meaning:
        given = self._factory_calls.given(name, module, scope)
        if given is not None:
            self._assumed += [*given.assumptions, self._factory_calls.in_words(name, module, scope)]
            return given.meaning
        default = parameter_defaults(scope).get(name)
        if default is None:
            return UnknownName(f"a parameter of {scope.name}, which no call gives a known value")
        meaning = self.meaning(default, module, scopes[1:])
        if isinstance(meaning, ConstantName) and meaning.value is not None:
            text = literal_text(meaning.value)
            self._assumed.append(f"{name} of {scope.name} is taken to have its default value {text}.")
            return meaning
        return meaning if isinstance(meaning, LibraryName) else UnknownName(f"a parameter of {scope.name}")

    def _in_module(self, name: str, module: ModuleSyntax) -> Meaning:
        imported = module.imports.get(name)
        if imported is not None and _root(imported) in _COMPILERS:
            return self._library(imported.dotted)
        function = self._function(name, module)
        if function is not None:
            return function
        values = module.assigned.get(name, [])
        definition = module.top_level.get(name)
        if isinstance(definition, ast.ClassDef) and not values:
            return ClassName(module, definition)
        if imported is not None and not values:
            return self._import(imported, module)
        if values:
            held = self._held(name, module)
            if held is not None:
                return held
            if name in module.rebound:
                return self._initial(name, values, module)
            return self._agreed(values, module, (), name)
        copied = self._copied(name, module)
        if copied is not None:
            return copied
        return self._initial(name, values, module) if name in module.rebound else self._star(name, module)

    def _held(self, name: str, module: ModuleSyntax) -> Meaning | None:
        """What a name of a module means when the kernel is compiled; None where that is not known."""
        before = self._time
        definition = before.definition(name, module) if before else None
        value = None if definition is None else value_given(definition, name)
        if before is None or definition is None or value is None:
            return None
        self._time = before.at(definition)
        try:
            return self._agreed([value], module, (), name)
        finally:
            self._time = before

    def _copied(self, name: str, module: ModuleSyntax) -> Meaning | None:
        """What a function that copies its variables into the module, as `globals().update(locals())`, gives a
        name; None where none does.
        """
        for function in module.once(copying_functions, module.tree):
            inside = [function, *module.scopes(function)]
            found = (
                None if name in parameter_names(function) else self._in_scope(name, module, function, inside)
            )
            if found is not None:
                return found
        return None

    def _initial(self, name: str, values: list[ast.expr], module: ModuleSyntax) -> Meaning:
        """A known value of a name that the program changes at run time, the first to begin with: of the
        module's own values, then of those that functions give it, then one that nothing in the source gives.
        """
        places: list[tuple[ast.expr, Scopes]] = [(value, ()) for value in values]
        for function in module.functions:
            if any(name in one.names for one in module.inside(function, ast.Global)):
                inside = [function, *module.scopes(function)]
                places += [(value, inside) for value in assignments(function.body).get(name, [])]
        found: dict[str, _Written] = {}
        for value, around in places:
            for one in self._different([value], module, around):
                found.setdefault(one.text, one)
        known = [*found.values()]
        if not known:
            return UnknownName("changed at run time, and no first value is known")
        if len(known) == 1:
            known += _other_value(known[0])
        taken = self.chosen(known)
        self._assumed += taken.assumed
        self._assumed.append(
            f"`{name}` is taken to be {taken.text}, its value in line {taken.node.lineno}; "
            "it changes at run time."
        )
        return taken.meaning

    def _function(self, name: str, module: ModuleSyntax) -> FunctionName | None:
        """The function behind a module-level name: a declared one first, then one defined under that name."""
        placed = [
            d for d in self.declarations(module) if name in d.names and d.module.scope_of(d.node) is None
        ]
        if placed:
            exact = [d for d in placed if d.name != name] or placed
            own = [d.node for d in exact if d.module is module]
            node = self._time.chosen(name, own, module) if self._time else None
            one = next((d for d in exact if d.node is node), exact[0])
            self.compiled.add(one.node)
            return FunctionName(one.module, one.node)
        definition = module.top_level.get(name)
        if isinstance(definition, ast.FunctionDef) and name not in module.assigned:
            return FunctionName(module, definition)
        return None

    def _import(self, imported: Import, module: ModuleSyntax) -> Meaning:
        dotted = imported.dotted
        library = self.workspace.library_name(dotted, module)
        if library.split(".")[0] in KNOWN_LIBRARIES:
            return self._library(library)
        if imported.name is None:
            target = self.workspace.find(imported, module)
            if target is None and dotted.split(".")[0] in sys.stdlib_module_names:
                return UnknownName(f"a value of Python's module {dotted.split('.')[0]}")
            return (
                ModuleName(target) if target else UnknownName(f"imported from {dotted}, which was not found")
            )
        target = self.workspace.find(imported, module)
        if target is not None:
            found = self.name(imported.name, target)
            if not isinstance(found, UnknownName) or imported.name in target.assigned:
                return found
        inner = Import(f"{imported.module}.{imported.name}".lstrip("."), None, imported.level)
        submodule = self.workspace.find(inner, module)
        if submodule is not None:
            return ModuleName(submodule)
        return UnknownName(f"imported from {'.' * imported.level}{imported.module}, where it was not found")

    def _library(self, dotted: str) -> LibraryName:
        """A name of a library, by the name that Numba has for the same."""
        own = numbas_name(dotted)
        if own != dotted and dotted.startswith(f"{MLIR_COMPILER}."):
            self.other_compiler = MLIR_COMPILER
        return LibraryName(own)

    def _module_member(self, module: ModuleSyntax, name: str) -> Meaning:
        found = self._in_module(name, module)
        if isinstance(found, UnknownName | BuiltinName) and module.file.endswith("__init__.py"):
            submodule = self.workspace.find(Import(name, None, 1), module)
            if submodule is not None:
                return ModuleName(submodule)
        return UnknownName("not defined in its module") if isinstance(found, BuiltinName) else found

    def _class_member(self, owner: ClassName, name: str) -> Meaning:
        for item in owner.node.body:
            if isinstance(item, ast.FunctionDef) and item.name == name:
                return FunctionName(owner.module, item)
        values = assignments(owner.node.body).get(name, [])
        if values:
            scopes: list[Scope] = [*owner.module.scopes(owner.node)]
            return self._agreed(values, owner.module, scopes, name)
        return UnknownName(f"an attribute of class {owner.node.name}")

    def _star(self, name: str, module: ModuleSyntax) -> Meaning:
        for star in reversed(module.star_imports):
            if not star.level and star_member(star.module, name):
                return LibraryName(f"{star.module}.{name}")
            target = self.workspace.find(star, module)
            if target is not None and target is not module:
                found = self.name(name, target)
                if not isinstance(found, UnknownName | BuiltinName):
                    return found
        if hasattr(builtins, name):
            return BuiltinName(name)
        return UnknownName("not defined in its module", undefined=is_undefined(name, module, self.workspace))

    def _agreed(self, values: list[ast.expr], module: ModuleSyntax, scopes: Scopes, name: str) -> Meaning:

        def is_open(test: ast.expr) -> bool:
            return isinstance(self.apart(test, module, scopes)[0], UnknownName)

        values = [one for value in values for one in branches(value, is_open)]
        found = [self.apart(value, module, scopes) for value in values]
        meanings = [meaning for meaning, _ in found]
        first = meanings[0]
        if all(same_meaning(first, other) for other in meanings[1:]):
            self._assumed += found[0][1]
            return first
        useful = [m for m in meanings if not (isinstance(m, ConstantName) and m.value is None)]
        if len(useful) == 1 and isinstance(useful[0], LibraryName | FunctionName | ModuleName):
            return useful[0]
        different = self._different(values, module, scopes)
        if not different:
            return UnknownName("bound to several values, none of them known")
        if len(different) == 1 and any(isinstance(one, UnknownName) for one in meanings):
            different += _other_value(different[0])
        one = self.chosen(different)
        self._assumed += one.assumed
        self._assumed.append(
            f"`{name}` is taken to be {one.text}, its value in line {one.node.lineno}; it has others too."
        )
        return one.meaning


def _other_value(one: _Written) -> list[_Written]:
    """A value beside the only one that is known of several; none where none is likely."""
    other = other_meaning(one.meaning)
    text = None if other is None else text_of(other)
    return [] if other is None or text is None else [replace(one, meaning=other, text=text)]


def _root(imported: Import) -> str:
    return "" if imported.level else imported.module.split(".")[0]
