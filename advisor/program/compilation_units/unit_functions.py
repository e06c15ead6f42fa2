"""The functions of a compilation unit and what each free name in them stands for."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from advisor.model.compilation_unit import Rejection, UndefinedName
from advisor.program.compilation_units.function_text import function_text, global_names
from advisor.program.compilation_units.guesses import guesses_for
from advisor.program.compilation_units.placeholders import Guess, UnknownValue, by_name, outermost
from advisor.program.compilation_units.refused_code import (
    called_of_library,
    calls,
    library_of_host,
    may_be_left_out,
)
from advisor.program.kernels.extended_functions import extended_functions
from advisor.program.names.library_names import COMPILER_LIBRARIES, MLIR_COMPILER
from advisor.program.names.scope_names import parameter_names
from advisor.program.resolution.library_values import library_constant, numpy_type_name
from advisor.program.resolution.literal_text import LibraryName, literal_text
from advisor.program.resolution.meanings import (
    BuiltinName,
    ClassName,
    ConstantName,
    FunctionName,
    Meaning,
    ModuleName,
    UnknownName,
)
from advisor.program.resolution.resolution import Names
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.tree_nodes import below

# Why the text of a function says nothing of a call.
_EXTENDED = "a function that the program teaches Numba itself"


@dataclass(frozen=True, slots=True)
class Target:
    """What a reference needs in the unit's one namespace: a `function`, a `constant` or an `alias`.

    `text` is the constant's expression or the alias's dotted name; `name` is the name it would like to have.
    A constant whose value is not known has a `guess`.
    """

    kind: str
    name: str
    text: str = ""
    function: FunctionNode | None = None
    guess: Guess | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """One place in a function that stands for a target: `written` is its text where it is a plain name."""

    node: ast.expr
    target: Target
    written: str = ""


@dataclass
class UnitFunction:
    """One function of the unit: its references, and every identifier that occurs in it."""

    module: ModuleSyntax
    node: FunctionNode
    references: list[Reference] = field(default_factory=list)
    identifiers: frozenset[str] = frozenset()


class UnitFunctions:
    """Collects a kernel and all functions it calls.

    `missing` are names that stand for nothing that can be compiled; `unusable` those of them that are known.
    """

    def __init__(self, names: Names, path: str) -> None:
        """`path` is the kernel's file."""
        self.names, self.path = names, path
        self.functions: dict[FunctionNode, UnitFunction] = {}
        self.order: list[UnitFunction] = []
        self.callees: dict[ast.expr, FunctionNode] = {}
        self.missing: dict[str, str] = {}
        self.unusable: dict[str, str] = {}
        self.rejected: list[Rejection] = []
        self.undefined: list[UndefinedName] = []
        self.unknown: list[UnknownValue] = []
        self.assumptions: list[str] = []

    def collect_all(self, module: ModuleSyntax, node: FunctionNode) -> None:
        """Add the kernel after all functions that it calls, then guess the values that are not known."""
        self.collect(module, node)
        self._guess_values()

    def collect(self, module: ModuleSyntax, node: FunctionNode) -> None:
        """Add a function after all those that it calls."""
        if node in self.functions:
            return
        function = UnitFunction(module, node)
        self.functions[node] = function
        function.identifiers = _identifiers(node)
        try:
            free = global_names(function_text(module, node, node.name))
        except (SyntaxError, ValueError):
            self.missing[node.name] = f"{node.name} (its text cannot be taken out of {module.path})"
            free = frozenset()
        scopes = module.scopes(node)
        for inner in _names_read(node):
            if inner.id in free:
                self._refer(function, inner, _usable(self.names.name(inner.id, module, scopes)))
        self.order.append(function)

    def _refer(self, function: UnitFunction, name: ast.Name, meaning: Meaning) -> None:
        node: ast.expr = name
        written = name.id
        while isinstance(meaning, ModuleName | ClassName) or _is_foreign(meaning):
            parent = function.module.parents.get(node)
            if not isinstance(parent, ast.Attribute):
                break
            node, written = parent, f"{written}.{parent.attr}"
            meaning = self._member(meaning, parent.attr)
        self._settle(function, node, written, meaning)

    def _member(self, owner: Meaning, attribute: str) -> Meaning:
        assert isinstance(owner, ModuleName | ClassName | LibraryName)
        return _usable(self.names.member(owner, attribute))

    def _settle(self, function: UnitFunction, node: ast.expr, written: str, meaning: Meaning) -> None:
        if isinstance(meaning, BuiltinName):
            return
        target = self._target(written, meaning, function.module)
        if isinstance(target, str):
            if isinstance(meaning, UnknownName) and meaning.undefined:
                self.undefined.append(UndefinedName(written, function.module.path, node.lineno))
            elif isinstance(meaning, UnknownName):
                self.unknown.append(
                    UnknownValue(
                        written, target, function.module, function.node, outermost(node, function.module)
                    )
                )
            at = f"line {node.lineno}"
            if function.module.path != self.path:
                at += f" of {function.module.path}"
            self.missing.setdefault(written, f"{written} in {at} ({target})")
            if not isinstance(meaning, ClassName | ModuleName) and target is not _EXTENDED:
                self._reject(function, node, written, meaning)
            if not isinstance(meaning, UnknownName | ConstantName) and target is not _EXTENDED:
                self.unusable.setdefault(written, f"`{written}` in {at} is {target}")
            return
        if isinstance(node, ast.Attribute):
            node = self._with_value(function, node, meaning)
        function.references.append(Reference(node, target, written if isinstance(node, ast.Name) else ""))
        if isinstance(meaning, FunctionName):
            self.callees[node] = meaning.node
            self.collect(meaning.module, meaning.node)

    def _reject(self, function: UnitFunction, node: ast.expr, written: str, meaning: Meaning) -> None:
        """Note the call of a function that Numba knows nothing of, and a dictionary that is read."""
        module = function.module
        if isinstance(meaning, FunctionName):
            if not _is_plain(meaning, written, module) or not calls(node, module):
                return
            what = "a plain Python function, which no decorator compiles"
        elif isinstance(meaning, LibraryName):
            library = library_of_host(meaning.dotted)
            if not library or not calls(node, module):
                return
            what = f"a function of {library}, which Numba does not compile"
        elif isinstance(meaning, ConstantName):
            if not isinstance(meaning.value, dict | set):
                return
            what = "a dictionary or a set, which a kernel cannot read"
        elif library := called_of_library(node, module):
            written = library
            what = "a function of Python's own library, which Numba does not compile for a GPU"
        else:
            return
        if not may_be_left_out(node, function.node, module):
            self.rejected.append(Rejection(f"`{written}` is {what}", module.path, node.lineno))

    def _guess_values(self) -> None:
        """Let values of the types that the uses show stand for names that are not known, if that resolves all
        that is missing.
        """
        groups = by_name(self.unknown)
        if self.undefined or {one.name for one in self.unknown} != self.missing.keys():
            return
        found = guesses_for([*groups.values()], self.callees.get, self.names)
        if found is None:
            return
        self.missing.clear()
        self.assumptions += found.assumptions
        for places, guess in zip(groups.values(), found.guesses, strict=True):
            self._guess(places, Target("constant", places[0].short, guess.value, guess=guess))

    def _guess(self, places: Sequence[UnknownValue], target: Target) -> None:
        for place in places:
            written = place.written if isinstance(place.node, ast.Name) else ""
            self.functions[place.function].references.append(Reference(place.node, target, written))

    def _with_value(self, function: UnitFunction, node: ast.Attribute, meaning: Meaning) -> ast.expr:
        """The attribute with the `.value` of an enumeration's member, where its number stands for it."""
        parent = function.module.parents.get(node)
        if isinstance(meaning, ConstantName) and isinstance(parent, ast.Attribute) and parent.attr == "value":
            return parent
        return node

    def _target(self, written: str, meaning: Meaning, module: ModuleSyntax) -> Target | str:
        """The target, or why there is none."""
        wanted = written.rpartition(".")[2]
        if isinstance(meaning, UnknownName):
            return meaning.reason
        if isinstance(meaning, FunctionName):
            if _is_extended(meaning, written, module):
                return _EXTENDED
            if not self._callable(meaning):
                return "a plain Python function, which a kernel cannot call"
            return Target("function", meaning.node.name, function=meaning.node)
        if isinstance(meaning, LibraryName):
            library = meaning.dotted.split(".")[0]
            if library in COMPILER_LIBRARIES:
                return Target("alias", wanted, meaning.dotted)
            if library == MLIR_COMPILER:
                return f"a part of {library} that Numba does not have"
            return f"a part of {meaning.dotted.split('.')[0]}, which a kernel cannot use"
        if isinstance(meaning, ConstantName):
            text = literal_text(meaning.value)
            if text is None:
                return "a value that has no short literal"
            return Target("constant", wanted, text)
        if isinstance(meaning, ClassName):
            return "a class, which a kernel can use only where an extension of Numba says how"
        return "a module, which is no value"

    def _callable(self, meaning: FunctionName) -> bool:
        node = meaning.node
        return (
            bool(node.decorator_list)
            or node in self.names.compiled
            or any(d.node is node for d in self.names.declarations(meaning.module))
        )


def _is_plain(meaning: FunctionName, written: str, module: ModuleSyntax) -> bool:
    """Whether a name stands for one function alone: no import and no assignment gives it another."""
    home, name = meaning.module, meaning.node.name
    return (
        len(home.functions_by_name.get(name, ())) == 1
        and name not in home.imports
        and name not in home.assigned
        and (home is module or written.split(".")[0] not in module.assigned)
    )


def _is_extended(meaning: FunctionName, written: str, module: ModuleSyntax) -> bool:
    """Whether the program says itself what Numba makes of a function, where it is defined or used."""
    home, name = meaning.module, meaning.node.name
    return name in extended_functions(home) or written in extended_functions(module)


def _is_foreign(meaning: Meaning) -> bool:
    """Whether a library name lies outside what a worker imports, so that only its constants can be used."""
    return isinstance(meaning, LibraryName) and meaning.dotted.split(".")[0] not in COMPILER_LIBRARIES


def _usable(meaning: Meaning) -> Meaning:
    """A constant or type of a library that no worker imports, as the number or the NumPy type it is."""
    if not isinstance(meaning, LibraryName) or not _is_foreign(meaning):
        return meaning
    constant = library_constant(meaning.dotted)
    kind = numpy_type_name(meaning.dotted)
    return (
        ConstantName(constant) if constant is not None else LibraryName(f"numpy.{kind}") if kind else meaning
    )


def _names_read(node: FunctionNode) -> list[ast.Name]:
    """Every name that a function's body reads; annotations of local names are never evaluated."""
    found: list[ast.Name] = []
    stack: list[ast.AST] = list(reversed(node.body))
    while stack:
        inner = stack.pop()
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            found.append(inner)
        parts = [
            part for part in ast.iter_child_nodes(inner) if part is not getattr(inner, "annotation", None)
        ]
        stack += reversed(parts)
    return found


def _identifiers(node: FunctionNode) -> frozenset[str]:
    """Every name in a function's parameters and body; decorators and defaults are left out."""
    inside = [inner for statement in node.body for inner in below(statement)]
    found = {inner.id for inner in inside if isinstance(inner, ast.Name)}
    found.update(inner.arg for inner in inside if isinstance(inner, ast.arg))
    found.update(inner.name for inner in inside if isinstance(inner, ast.FunctionDef))
    return frozenset(found | parameter_names(node))
