"""One parsed module: its tree, what its names refer to, where its definitions stand; nothing is executed."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias, TypeVar, cast

from advisor.model.errors import SourceProblem
from advisor.model.text.source_text import SourceText, Span
from advisor.model.text.syntax_recovery import SyntaxFault, fault_from, recovered
from advisor.model.text.syntax_trees import MOST_LEVELS, TOO_DEEP, syntax_tree, too_deep
from advisor.program.syntax.calls import attribute_by_name
from advisor.program.syntax.dynamic_imports import imported_module, names_of_modules, present_name
from advisor.program.syntax.reaching_definitions import ReachingDefinitions
from advisor.program.syntax.tree_nodes import below, by_kind, with_parents
from advisor.program.syntax.unread_statements import note_unread

Node = TypeVar("Node", bound=ast.AST)
Key = TypeVar("Key")
Found = TypeVar("Found")
FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Scope: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Import:
    """What an imported name refers to: `module` (with `level` leading dots) and, if any, a name in it."""

    module: str
    name: str | None = None
    level: int = 0

    @property
    def dotted(self) -> str:
        """The dotted name, relative imports with their leading dots."""
        prefix = "." * self.level + self.module
        if self.name is None:
            return prefix
        return f"{prefix}.{self.name}" if self.module else prefix + self.name


@dataclass(frozen=True, slots=True)
class NamesElsewhere:
    """Names in parts that a text leaves out of its module: called in functions for the GPU, and launched.

    `words` are those of FILE_WORDS that the whole module has, `often` launched names in more than two parts,
    `checked` those that are called in functions which refuse remainders.
    """

    called: frozenset[str] = frozenset()
    launched: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    often: frozenset[str] = frozenset()
    checked: frozenset[str] = frozenset()


NOWHERE = NamesElsewhere()
# Modules that hold Python's own names, some of them for programs that also ran under Python 2.
_BUILTINS = frozenset({"builtins", "__builtin__", "six.moves", "past.builtins", "future.builtins"})
_BUILTIN_NAMES = frozenset(dir(builtins))
# Words of programs that may define names by text or by key.
DEFINING_WORDS = frozenset({"globals", "exec", "vars", "modules", "setattr", "pylab"})
# Where one of these stands anywhere in a file, it may teach Numba what it does not compile by itself, or run
# kernels in Numba's simulator, which takes any Python.
EXTENDING_WORDS = frozenset({
    "overload", "overload_method", "overload_attribute", "extending", "intrinsic", "lower_builtin",
    "cuda_lower", "typing_registry", "register_model", "register_jitable", "typeof_impl", "type_callable",
    "declare_device", "cudadecl", "NUMBA_ENABLE_CUDASIM", "ENABLE_CUDASIM", "NUMBA_CUDA_ENABLE_NRT",
    "CUDA_ENABLE_NRT",
})  # fmt: skip
# Words that say something of a file as a whole, wherever they stand in it.
FILE_WORDS = DEFINING_WORDS | EXTENDING_WORDS | frozenset({
    "numba", "triton", "torch", "cupy", "autocast", "set_float32_matmul_precision", "allow_tf32",
    "GradScaler", "set_default_device", "set_default_tensor_type", "set_default_dtype", "fp32_precision",
    "hasattr",
})  # fmt: skip
_FILE_WORD = re.compile(rf"\b(?:{'|'.join(sorted(FILE_WORDS))})\b")


@dataclass
class ModuleSyntax:
    """A module as written. `path` is the reported path, `file` the file on disk, empty for other text.

    Where there are `faults` of syntax, `source` is what could be read of the text, at the same places, and
    `as_written` the text.
    """

    source: SourceText
    tree: ast.Module
    file: str = ""
    imports: dict[str, Import] = field(default_factory=dict)
    star_imports: list[Import] = field(default_factory=list)
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)
    functions: list[FunctionNode] = field(default_factory=list)
    calls: list[ast.Call] = field(default_factory=list)
    elsewhere: NamesElsewhere = NOWHERE
    faults: tuple[SyntaxFault, ...] = ()
    as_written: str = ""
    _inside: dict[ast.AST, dict[type[ast.AST], list[ast.AST]]] = field(default_factory=dict, repr=False)
    _definitions: dict[ast.AST, ReachingDefinitions] = field(default_factory=dict, repr=False)
    _stores: dict[ast.AST, dict[str, list[ast.Name]]] = field(default_factory=dict, repr=False)
    _loads: dict[ast.AST, dict[str, list[ast.Name]]] = field(default_factory=dict, repr=False)
    _once: dict[tuple[object, object], object] = field(default_factory=dict, repr=False)

    @property
    def text(self) -> str:
        """The text as it stands in the file."""
        return self.as_written or self.source.text

    @property
    def path(self) -> str:
        """The path the module is reported under."""
        return self.source.path

    def inside(self, node: ast.AST, kind: type[Node]) -> list[Node]:
        """The nodes of one class in a definition; each definition is walked once."""
        found = self._inside.get(node)
        if found is None:
            found = self._inside[node] = by_kind(node)
        return cast("list[Node]", found.get(kind, []))

    def definitions(self, scope: ast.Module | FunctionNode | ast.ClassDef) -> ReachingDefinitions:
        """The definitions of the names of the module itself or of a function or class in it."""
        found = self._definitions.get(scope)
        if found is None:
            found = self._definitions[scope] = ReachingDefinitions(scope)
        return found

    def stores(self, name: str, definition: ast.AST) -> list[ast.Name]:
        """The places in a definition, functions in it included, that store to a name or delete it."""
        found = self._stores.get(definition)
        if found is None:
            found = self._stores[definition] = {}
            for node in self.inside(definition, ast.Name):
                if not isinstance(node.ctx, ast.Load):
                    found.setdefault(node.id, []).append(node)
        return found.get(name, [])

    def loads(self, name: str, node: ast.AST) -> list[ast.Name]:
        """The places in a node, functions in it included, that read a name."""
        found = self._loads.get(node)
        if found is None:
            found = self._loads[node] = {}
            for one in self.inside(node, ast.Name):
                if isinstance(one.ctx, ast.Load):
                    found.setdefault(one.id, []).append(one)
        return found.get(name, [])

    def changed_names(self, node: ast.AST) -> frozenset[str]:
        """The names that a node binds, or writes items or attributes of."""
        return self.once(_changed_names, node)

    def once(self, find: Callable[[ModuleSyntax, Key], Found], of: Key) -> Found:
        """What `find` says of the module and a part of it; it is asked once for each part."""
        key = find, of
        if key not in self._once:
            self._once[key] = find(self, of)
        return cast("Found", self._once[key])

    @cached_property
    def assigned(self) -> dict[str, list[ast.expr]]:
        """Every value bound to a module-level name by a plain assignment, in order."""
        return assignments(self.tree.body)

    @cached_property
    def calls_by_name(self) -> dict[str, list[ast.Call]]:
        """The calls of plain names, by the name."""
        found: dict[str, list[ast.Call]] = {}
        for call in self.calls:
            if isinstance(call.func, ast.Name):
                found.setdefault(call.func.id, []).append(call)
        return found

    @cached_property
    def functions_by_name(self) -> dict[str, list[FunctionNode]]:
        """Every function of the module, nested ones too, by name."""
        found: dict[str, list[FunctionNode]] = {}
        for function in self.functions:
            found.setdefault(function.name, []).append(function)
        return found

    @cached_property
    def bound_by_functions(self) -> frozenset[str]:
        """Module-level names that functions change as `global`."""
        names: set[str] = set()
        for function in self.functions:
            declared = {name for node in self.inside(function, ast.Global) for name in node.names}
            if declared:
                names |= declared & _written_names(function)
        return frozenset(names)

    @cached_property
    def bound_anywhere(self) -> frozenset[str]:
        """Every name that a statement of the module binds, in any scope."""
        found = _written_names(self.tree) | self.functions_by_name.keys() | self.imports.keys()
        for node in self.parents:
            if isinstance(node, ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Global | ast.Nonlocal):
                found.update(node.names)
            elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
                found.add(node.name)
            elif isinstance(node, ast.MatchMapping) and node.rest:
                found.add(node.rest)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
        return frozenset(found)

    @cached_property
    def rebound(self) -> frozenset[str]:
        """Module-level names changed in ways an assignment does not show (`global`, `+=`, loops, `del`)."""
        names = set(self.bound_by_functions)
        for statement in self.tree.body:
            if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
                names.add(statement.target.id)
            elif isinstance(statement, ast.For | ast.While):
                names |= _written_names(statement)
        return frozenset(names)

    @cached_property
    def top_level(self) -> dict[str, FunctionNode | ast.ClassDef]:
        """Functions and classes defined at module level, also below `if` and `try`; the first of a name."""
        found: dict[str, FunctionNode | ast.ClassDef] = {}
        for statement in _flat(self.tree.body):
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.setdefault(statement.name, statement)
        return found

    @cached_property
    def file_words(self) -> frozenset[str]:
        """Those of FILE_WORDS that stand anywhere in the file."""
        return self.elsewhere.words.union(_FILE_WORD.findall(self.source.text))

    def mentions(self, word: str) -> bool:
        """Whether one of FILE_WORDS stands anywhere in the file."""
        return word in self.file_words

    def span(self, node: ast.AST) -> Span:
        """The place of a node, columns in characters."""
        line = getattr(node, "lineno", 1)
        end_line = getattr(node, "end_lineno", None) or line
        return Span(
            line,
            self.source.column(line, getattr(node, "col_offset", 0)),
            end_line,
            self.source.column(end_line, getattr(node, "end_col_offset", None) or 0),
        )

    def name_span(self, node: FunctionNode | ast.ClassDef) -> Span:
        """The place of the name in a `def` or `class` line."""
        text = self.source.lines[node.lineno - 1] if node.lineno <= len(self.source.lines) else ""
        start = text.find(node.name, node.col_offset) + 1
        if start < 1:
            start = node.col_offset + 1
        return Span(node.lineno, start, node.lineno, start + len(node.name))

    def scope_of(self, node: ast.AST) -> Scope | None:
        """The innermost function or class that holds `node`, None at module level."""
        parent = self.parents.get(node)
        while parent is not None and not isinstance(
            parent, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
        ):
            parent = self.parents.get(parent)
        return parent

    def scopes(self, node: ast.AST) -> list[Scope]:
        """The scopes around `node`, innermost first."""
        found: list[Scope] = []
        scope = self.scope_of(node)
        while scope is not None:
            found.append(scope)
            scope = self.scope_of(scope)
        return found

    def function_around(self, node: ast.AST) -> FunctionNode | None:
        """The innermost function around `node`, None at module level."""
        functions = (
            one for one in self.scopes(node) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
        )
        return next(functions, None)

    def class_around(self, node: ast.AST) -> ast.ClassDef | None:
        """The innermost class around `node`, None outside of classes."""
        return next((one for one in self.scopes(node) if isinstance(one, ast.ClassDef)), None)

    def statement_of(self, node: ast.AST) -> ast.AST:
        """The innermost statement that `node` is or stands in; the outermost node where there is none."""
        while not isinstance(node, ast.stmt) and node in self.parents:
            node = self.parents[node]
        return node

    def block_of(self, statement: ast.AST) -> list[ast.stmt]:
        """The statements of the block that a statement stands in, empty for any other node."""
        parent = self.parents.get(statement)
        blocks = (getattr(parent, field, None) for field in ("body", "orelse", "finalbody"))
        return next((block for block in blocks if isinstance(block, list) and statement in block), [])

    def qualname(self, node: FunctionNode | ast.ClassDef) -> str:
        """The dotted name of a definition within the module, without `<locals>`."""
        names = [scope.name for scope in self.scopes(node) if not isinstance(scope, ast.Lambda)]
        return ".".join([*reversed(names), node.name])

    def dotted(self, node: ast.expr) -> str | None:
        """What `a.b.c` refers to through the imports, as a dotted name, `getattr(a, "b")` included; None for
        anything else.
        """
        parts: list[str] = []
        while not isinstance(node, ast.Name):
            if isinstance(node, ast.Attribute):
                parts.append(node.attr)
                node = node.value
            elif isinstance(node, ast.Call):
                name = attribute_by_name(node)
                if name is None:
                    module = imported_module(node, self)
                    return None if module is None else ".".join([module, *reversed(parts)])
                parts.append(name)
                node = node.args[0]
            else:
                return None
        imported = self.imports.get(node.id)
        parts.append(imported.dotted if imported else node.id)
        return ".".join(reversed(parts))


def parse_module(source: SourceText, file: str = "") -> ModuleSyntax:
    """The parsed module; raises SourceProblem with the line of a syntax error or of too deep a nest."""
    try:
        tree = syntax_tree(source.text)
    except SyntaxError as error:
        fault = fault_from(error)
        raise SourceProblem(source.path, fault.line, fault.message, fault.column) from None
    except (RecursionError, MemoryError, ValueError) as error:
        raise SourceProblem(source.path, 1, f"cannot be parsed: {type(error).__name__}") from None
    if source.unread:
        note_unread(tree, source)
    nodes, parents = with_parents(tree)
    if _levels(nodes[-1], parents) > MOST_LEVELS:
        deep = too_deep(tree)
        raise SourceProblem(source.path, deep.lineno if deep else 1, TOO_DEEP)
    module = ModuleSyntax(source, tree, file, parents=parents)
    _index(module, nodes)
    return module


def read_module(source: SourceText, file: str = "") -> ModuleSyntax:
    """The module as far as it can be read; raises SourceProblem where nothing can.

    Statements that cannot be read stand in it as calls that may do anything with the names of their function.
    """
    try:
        return parse_module(source, file)
    except SourceProblem:
        readable, faults = readable_source(source)
        if not faults:
            raise
    module = parse_module(readable, file)
    module.faults, module.as_written = faults, source.text
    return module


def readable_source(source: SourceText) -> tuple[SourceText, tuple[SyntaxFault, ...]]:
    """What of a text can be read, at its places, and its faults; no faults where all or nothing can."""
    found = recovered(source.text)
    if found is None:
        return source, ()
    unread = source.unread | found.unread
    return SourceText(source.path, found.text, unread, found.for_python_2), found.faults


_INDEXED = frozenset({ast.Call, ast.FunctionDef, ast.AsyncFunctionDef, ast.Import, ast.ImportFrom})


def _levels(node: ast.AST | None, parents: Mapping[ast.AST, ast.AST]) -> int:
    """How many nodes stand above each other down to a node; the last in order of levels is deepest."""
    count = 0
    while node is not None:
        node, count = parents.get(node), count + 1
    return count


def _index(module: ModuleSyntax, nodes: Sequence[ast.AST]) -> None:
    imports = module.imports
    for node in nodes:
        if node.__class__ not in _INDEXED:
            continue
        if isinstance(node, ast.Call):
            module.calls.append(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            module.functions.append(node)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    imports[alias.asname] = Import(present_name(alias.name))
                else:
                    root = alias.name.split(".")[0]
                    imports.setdefault(root, Import(present_name(root)))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                target = Import(present_name(node.module or ""), alias.name, node.level)
                if node.module in _BUILTINS and alias.name in _BUILTIN_NAMES and not alias.asname:
                    # Bound to what it means anyway.
                    continue
                if alias.name == "*":
                    module.star_imports.append(Import(target.module, None, node.level))
                else:
                    imports.setdefault(alias.asname or alias.name, target)
    for name, dotted in names_of_modules(module).items():
        level = len(dotted) - len(dotted.lstrip("."))
        imports.setdefault(name, Import(dotted.lstrip("."), None, level))
    module.functions.sort(key=lambda function: function.lineno)
    module.calls.sort(key=lambda call: (call.lineno, call.col_offset))


def _written_names(block: ast.AST) -> set[str]:
    return {
        node.id for node in below(block) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }


def _flat(body: list[ast.stmt]) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for statement in body:
        found.append(statement)
        if isinstance(statement, ast.If):
            found += _flat(statement.body) + _flat(statement.orelse)
        elif isinstance(statement, ast.Try):
            found += _flat(statement.body) + _flat(statement.orelse)
            found += [inner for handler in statement.handlers for inner in _flat(handler.body)]
            found += _flat(statement.finalbody)
        elif isinstance(statement, ast.With):
            found += _flat(statement.body)
    return found


def assignments(body: list[ast.stmt]) -> dict[str, list[ast.expr]]:
    """Every value that plain assignments in `body` (and its if/try/with blocks) bind to a name."""
    found: dict[str, list[ast.expr]] = {}
    for statement in _flat(body):
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                _bind(target, statement.value, found)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            _bind(statement.target, statement.value, found)
    return found


def _bind(target: ast.expr, value: ast.expr, found: dict[str, list[ast.expr]]) -> None:
    if isinstance(target, ast.Name):
        found.setdefault(target.id, []).append(value)
    elif isinstance(target, ast.Tuple | ast.List):
        if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
            for inner, part in zip(target.elts, value.elts, strict=True):
                _bind(inner, part, found)
        else:
            for position, inner in enumerate(_before_star(target.elts)):
                item = ast.Subscript(value=value, slice=ast.Constant(value=position), ctx=ast.Load())
                _bind(inner, ast.copy_location(item, value), found)


def _before_star(targets: list[ast.expr]) -> list[ast.expr]:
    """The targets whose place in the value is known: those before a starred one."""
    numbers = [number for number, one in enumerate(targets) if isinstance(one, ast.Starred)]
    return targets[: numbers[0]] if numbers else targets


def _changed_names(module: ModuleSyntax, node: ast.AST) -> frozenset[str]:
    written: list[ast.Subscript | ast.Attribute]
    written = [*module.inside(node, ast.Subscript), *module.inside(node, ast.Attribute)]
    roots = {root_name(one) for one in written if isinstance(one.ctx, ast.Store)}
    bound = {one.id for one in module.inside(node, ast.Name) if isinstance(one.ctx, ast.Store)}
    return frozenset(bound | {name for name in roots if name})


def root_name(node: ast.expr) -> str | None:
    """The name that an expression of attributes and items begins with."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def names_in(node: ast.AST) -> set[str]:
    """Every name that stands anywhere in `node`."""
    return {inner.id for inner in below(node) if isinstance(inner, ast.Name)}


def stored_names(node: ast.AST) -> set[str]:
    """Every name that is bound anywhere below `node`."""
    return {
        inner.id for inner in below(node) if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    }
