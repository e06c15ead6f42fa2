"""Makes a kernel self-contained: its text, the functions it calls, its constants and its likely types."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from advisor.model.compilation_unit import ArgumentTypes, CompilationUnit, FunctionText, Placeholder
from advisor.program.compilation_units.function_text import Replacement, function_text, text_columns
from advisor.program.compilation_units.other_units import with_others
from advisor.program.compilation_units.refused_code import is_own_fault, refused_statements
from advisor.program.compilation_units.unit_functions import Target, UnitFunction, UnitFunctions
from advisor.program.effects.argument_types import OF_SOME_DIMENSIONS, assumed_types, with_dimensions
from advisor.program.effects.declared_layouts import DeclaredLayout, declared_layout
from advisor.program.effects.parameter_use import Use
from advisor.program.effects.use_analysis import UseAnalysis
from advisor.program.kernels.declarations import Declaration
from advisor.program.names.scope_names import parameter_defaults
from advisor.program.names.workspace import Workspace
from advisor.program.resolution.compile_time import CompileTime
from advisor.program.resolution.factory_calls import Callers
from advisor.program.resolution.library_values import Undetermined
from advisor.program.resolution.literal_text import LibraryName, literal_text
from advisor.program.resolution.meanings import ConstantName
from advisor.program.resolution.record_types import declared_records
from advisor.program.resolution.resolution import Names
from advisor.program.resolution.signatures import stated_typings
from advisor.program.syntax.module import ModuleSyntax

# A kernel is compiled with so many values of a name at most.
_MOST_VALUES = 4
_OPTIONS = ("fastmath", "max_registers", "debug", "opt", "inline", "launch_bounds")


def compilation_unit(
    declaration: Declaration,
    workspace: Workspace,
    declarations_of: Callable[[ModuleSyntax], list[Declaration]],
    call_types: Mapping[str, str] | None = None,
    callers: Callers | None = None,
    launchers: Sequence[Path] = (),
    launches: Sequence[ast.Call] = (),
    in_c_order: Collection[str] = (),
) -> CompilationUnit:
    """The self-contained form of one kernel, found without importing or running anything of the workspace.

    `declarations_of` gives the kernels and device functions of a module; `call_types` are types of parameters
    that the launches show, `callers` the files in which functions that make kernels are called, `launchers`
    those that launch this one, `launches` the calls that do so in its own module; parameters `in_c_order` are
    arrays of which the launches show that. What cannot be resolved is named in `missing`, each with its
    reason.
    """

    def made(names: Names) -> CompilationUnit:
        return _unit(declaration, names, call_types or {}, launchers, in_c_order)

    time = CompileTime.of(declaration, launches)
    names = Names(workspace, declarations_of, callers=callers, time=time)
    unit = made(names)
    if unit.missing or names.most_values == 1:
        return unit
    others = (
        made(Names(workspace, declarations_of, choice, callers, time))
        for choice in range(1, min(names.most_values, _MOST_VALUES))
    )
    return with_others(unit, others)


def _unit(
    declaration: Declaration,
    names: Names,
    call_types: Mapping[str, str],
    launchers: Sequence[Path],
    in_c_order: Collection[str],
) -> CompilationUnit:
    """The unit with the values that `names` takes."""
    functions = UnitFunctions(names, declaration.module.path)
    functions.collect_all(declaration.module, declaration.node)
    namespace = Namespace(functions.order)
    options, ignored = _options(declaration, names)
    candidates, reasons = _candidates(declaration, names, functions, call_types, launchers, in_c_order)
    texts = _texts(declaration, functions, namespace, names)
    other = names.other_compiler
    own_fault = not other and is_own_fault(declaration, names.workspace)
    statements = [
        one
        for each in functions.order
        for one in refused_statements(each.node, each.module, each.node is declaration.node)
    ]
    replaced = (f"`{other}` is taken to infer the types that Numba does; its machine code is not known.",)
    assumptions = (*names.assumptions, *functions.assumptions, *ignored, *(replaced if other else ()))
    return CompilationUnit(
        kernel=declaration.key,
        path=declaration.module.path,
        functions=texts,
        constants=namespace.texts("constant"),
        aliases=namespace.texts("alias"),
        candidates=tuple(replace(c, assumptions=(*c.assumptions, *assumptions)) for c in candidates),
        options=options,
        missing=tuple(functions.missing.values()),
        parameters=declaration.parameters,
        untyped=reasons,
        assumptions=assumptions,
        unusable=tuple(functions.unusable.values()),
        undefined=tuple(functions.undefined),
        placeholders=namespace.placeholders(),
        other_compiler=other,
        own_fault=own_fault,
        rejected=tuple(functions.rejected) if own_fault else (),
        suspects=tuple(statements) if own_fault else (),
        stated=bool(stated_typings(declaration, names)),
    )


def _texts(
    declaration: Declaration, functions: UnitFunctions, namespace: Namespace, names: Names
) -> tuple[FunctionText, ...]:
    """Every function's text, the kernel's last."""
    found = []
    for function in functions.order:
        kernel = function.node is declaration.node
        defaults = {} if kernel else _literal_defaults(function, names)
        try:
            source = namespace.text(function, defaults)
        except ValueError as problem:
            functions.missing[function.node.name] = f"{function.node.name} ({problem})"
            continue
        own = namespace.names[Target("function", function.node.name, function=function.node)]
        module, node = function.module, function.node
        columns = text_columns(module.source.lines[node.lineno - 1 : node.end_lineno])
        found.append(FunctionText(own, source, module.path, node.lineno, not kernel, columns))
    return tuple(sorted(found, key=lambda text: not text.device))


def _literal_defaults(function: UnitFunction, names: Names) -> dict[str, str]:
    """The defaults of a device function that are plain literals; callers may leave these arguments out."""
    scopes = function.module.scopes(function.node)
    found = {}
    for name, default in parameter_defaults(function.node).items():
        meaning = names.meaning(default, function.module, scopes)
        if isinstance(meaning, ConstantName) and isinstance(meaning.value, int | float | bool | str | None):
            text = literal_text(meaning.value)
            if text is not None:
                found[name] = text
    return found


def _options(declaration: Declaration, names: Names) -> tuple[dict[str, object], tuple[str, ...]]:
    """The decorator's literal options and a sentence for each other one."""
    values = names.values(declaration.module, declaration.module.scopes(declaration.node))
    options: dict[str, object] = {}
    ignored = []
    for name in _OPTIONS:
        if name not in declaration.options:
            continue
        node = declaration.options[name]
        try:
            literal = isinstance(node, ast.Dict | ast.Set)
            options[name] = ast.literal_eval(node) if literal else _plain(values.value(node))
        except (Undetermined, ValueError):
            ignored.append(f"The option {name} of the decorator is left out: its value is not a constant.")
    return options, tuple(ignored)


def _plain(value: object) -> object:
    if isinstance(value, LibraryName):
        raise ValueError("not a plain value")
    return value


def _candidates(
    declaration: Declaration,
    names: Names,
    functions: UnitFunctions,
    call_types: Mapping[str, str],
    launchers: Sequence[Path],
    in_c_order: Collection[str],
) -> tuple[tuple[ArgumentTypes, ...], tuple[str, ...]]:
    """The typings to try, and why there are no assumed ones where that is so."""
    count = len(declaration.parameters)
    known = list(stated_typings(declaration, names))
    if known:
        return tuple(known), ()
    analysis = UseAnalysis(functions.callees.get)
    uses = analysis.uses(declaration.node)
    call_types = with_dimensions(call_types, uses, in_c_order)
    if len(call_types) == count and not any(one.endswith(OF_SOME_DIMENSIONS) for one in call_types.values()):
        known = [ArgumentTypes(tuple(call_types[name] for name in declaration.parameters))]
    arguments = declaration.node.args
    if arguments.vararg is not None or arguments.kwarg is not None or arguments.kwonlyargs:
        return tuple(known), () if known else (f"{declaration.name} (its parameters are not all positional)",)
    declared = _declared(declaration, names, uses, launchers)
    assumed = assumed_types(declaration.parameters, uses, None, declared)
    if call_types and not known:
        # Should the launches' types not fit the code, the plain assumptions come after them.
        assumed = (*assumed_types(declaration.parameters, uses, call_types, declared), *assumed)
    reasons = [
        f"{name} (its elements are records of records: the field {field} is one)"
        for name in declaration.parameters
        for field, inner in uses[name].fields.items()
        if inner.fields and name not in declared
    ]
    return (*known, *assumed), () if known else tuple(reasons)


def _declared(
    declaration: Declaration, names: Names, uses: Mapping[str, Use], launchers: Sequence[Path]
) -> dict[str, DeclaredLayout]:
    """The layouts of record parameters by the record types that are declared where the kernel stands, where
    it is launched, and in what these modules import.
    """
    wanted = [name for name in declaration.parameters if uses[name].fields]
    if not wanted:
        return {}
    workspace, own = names.workspace, declaration.module
    modules = [own, *(one for file in launchers if (one := workspace.looked_into(file, own)) is not None)]
    records = [*declared_records(modules, workspace, names.values)]
    found = {name: declared_layout(uses[name], records) for name in wanted}
    return {name: one for name, one in found.items() if one is not None}


@dataclass
class Namespace:
    """The name of each target; a target keeps its own name where no function uses that name otherwise."""

    functions: list[UnitFunction]
    names: dict[Target, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._taken = {name for function in self.functions for name in function.identifiers}
        self._given: set[str] = set()
        for function in self.functions:
            self._name(Target("function", function.node.name, function=function.node))
            for reference in function.references:
                self._name(reference.target)

    def _name(self, target: Target) -> None:
        if target in self.names:
            return
        name = target.name
        if name in self._given or not self._is_clean(target):
            number = 2
            while f"{name}_{number}" in self._taken | self._given:
                number += 1
            name = f"{name}_{number}"
        self._given.add(name)
        self.names[target] = name

    def _is_clean(self, target: Target) -> bool:
        for function in self.functions:
            if target.name in function.identifiers:
                meant = {r.target for r in function.references if r.written == target.name}
                if meant != {target}:
                    return False
        return True

    def texts(self, kind: str) -> dict[str, str]:
        """The text of each target of a kind, by its name in the unit."""
        return {name: target.text for target, name in self.names.items() if target.kind == kind}

    def placeholders(self) -> tuple[Placeholder, ...]:
        """The constants whose values are guesses."""
        guesses = [(name, target.guess) for target, name in self.names.items()]
        return tuple(
            Placeholder(name, guess.type, guess.value, guess.other) for name, guess in guesses if guess
        )

    def text(self, function: UnitFunction, defaults: dict[str, str]) -> str:
        """The function's text with the unit's names; raises ValueError if one of them spans lines."""
        replacements = []
        for reference in function.references:
            name = self.names[reference.target]
            if name != reference.written:
                if reference.node.lineno != reference.node.end_lineno:
                    raise ValueError("a name that spans lines")
                replacements.append(Replacement(reference.node, name))
        own = self.names[Target("function", function.node.name, function=function.node)]
        return function_text(function.module, function.node, own, replacements, defaults)
