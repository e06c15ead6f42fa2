"""Kernels that a file brings to CuPy as literals of CUDA C++: `cupy.RawKernel` and `cupy.RawModule`.

Nothing is told of their source but where they stand; the compiler, and launches, say the rest.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from advisor.evidence.source.file_analyser import FileKernels
from advisor.model.compilation_unit import ArgumentTypes, CompilationUnit, CudaText, FunctionText
from advisor.model.errors import SourceProblem
from advisor.model.records import Record, kernel_key
from advisor.model.text.source_text import SourceText, Span, read_source
from advisor.program.kernels.cuda_texts import KernelInText, kernels_in_text, literal_line
from advisor.program.syntax.file_modules import read_modules
from advisor.program.syntax.module import ModuleSyntax

_MAKERS = {"cupy.RawKernel": "RawKernel", "cupy.RawModule": "RawModule"}
# Where the arguments of each stand: the text, the name, and the compiler's options.
_PLACES = {
    "RawKernel": {"code": 0, "name": 1, "options": 2},
    "RawModule": {"name_expressions": 3, "options": 2, "code": 0},
}


@dataclass(frozen=True)
class _Made:
    """A text as a file hands it to CuPy: `names` are the kernels that are asked for, None for all that are no
    templates; `obstacle` is why it is not compiled.
    """

    literal: ast.Constant
    names: tuple[str, ...] | None
    options: tuple[str, ...]
    obstacle: str


def cuda_kernels(file: Path, path: str, source: SourceText | None = None) -> FileKernels:
    """The kernels of one file that are literals of CUDA C++, with units to compile them.

    `source` is the file's text where that is not the one on the disk.
    """
    result = FileKernels(path)
    try:
        modules = read_modules(source or read_source(file, path), str(file))
    except SourceProblem:
        return result
    for module in modules.every:
        lines = module.text.splitlines()
        for made in _made(module):
            begin = literal_line(made.literal, lines)
            for name, kernel in _asked_for(made) if begin is not None else ():
                _add(result, module, made, name, kernel, begin or 1)
    return result


def _add(
    result: FileKernels, module: ModuleSyntax, made: _Made, name: str, kernel: KernelInText, begin: int
) -> None:
    line = begin + kernel.line - 1
    key = kernel_key(module.path, name, line)
    if any(one.kernel == key for one in result.units):
        return
    result.text = module.text
    record = Record("kernel", key, module.path, Span(line), name)
    record.know("source", text_unread=True, name=name)
    result.records.append(record)
    text = str(made.literal.value)
    header = text.splitlines()[kernel.line - 1]
    lines = module.text.splitlines()
    result.units.append(
        CompilationUnit(
            key,
            module.path,
            (
                FunctionText("text", text, module.path, begin, columns=_columns(text, lines, begin)),
                FunctionText(name, header, module.path, line, device=False),
            ),
            candidates=(ArgumentTypes(()),),
            untyped=(),
            cuda=CudaText(text, name, made.options),
            unusable=(made.obstacle,) if made.obstacle else (),
        )
    )


def _columns(text: str, lines: list[str], begin: int) -> tuple[tuple[int, int], ...]:
    """Where each line of a text begins and ends in the file, without the spaces around it."""
    found = []
    for part, line in zip(text.splitlines(), lines[begin - 1 :], strict=False):
        own = part.strip()
        start = line.index(own) + 1
        found.append((start, start + len(own)))
    return tuple(found)


def _asked_for(made: _Made) -> Iterator[tuple[str, KernelInText]]:
    """The kernels of a text by the names under which CuPy gets them; a template only by an instance's."""
    known = {one.name: one for one in kernels_in_text(str(made.literal.value))}
    names = [name for name, one in known.items() if not one.is_template]
    for name in made.names if made.names is not None else names:
        kernel = known.get(name.partition("<")[0].split("::")[-1].strip())
        if kernel is not None and kernel.is_template == ("<" in name):
            yield name, kernel


def _made(module: ModuleSyntax) -> Iterator[_Made]:
    for call in module.calls:
        kind = _MAKERS.get(module.dotted(call.func) or "")
        if kind is None:
            continue
        value = partial(_argument, module, call, kind)
        literal = value("code")
        if not isinstance(literal, ast.Constant) or not isinstance(literal.value, str):
            continue
        options = _strings(value("options"))
        names = _names(kind, value("name" if kind == "RawKernel" else "name_expressions"))
        obstacle = "" if options is not None else "the options of its compiler are not literals"
        if _is_true(value("translate_cucomplex")):
            obstacle = "CuPy changes its text first (translate_cucomplex)"
        yield _Made(literal, names, options or (), obstacle)


def _names(kind: str, given: ast.expr | None) -> tuple[str, ...] | None:
    names = _strings(given)
    if kind == "RawKernel" and isinstance(given, ast.Constant):
        return (str(given.value),)
    return names or None


def _argument(module: ModuleSyntax, call: ast.Call, kind: str, name: str) -> ast.expr | None:
    """An argument of a call, through the name of a module's or function's only literal."""
    place = _PLACES[kind].get(name)
    found = next((one.value for one in call.keywords if one.arg == name), None)
    if found is None and place is not None and place < len(call.args):
        found = call.args[place]
    if isinstance(found, ast.Name):
        stores = [one for one in module.inside(module.tree, ast.Assign) if _binds(one, found.id)]
        stored = module.stores(found.id, module.tree)
        return stores[0].value if len(stores) == len(stored) == 1 else found
    return found


def _binds(assignment: ast.Assign, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in assignment.targets)


def _strings(given: ast.expr | None) -> tuple[str, ...] | None:
    """Literal strings, empty for nothing, None for what is no literal."""
    if given is None or (isinstance(given, ast.Constant) and given.value is None):
        return ()
    if not isinstance(given, ast.Tuple | ast.List):
        return None
    values = [one.value for one in given.elts if isinstance(one, ast.Constant)]
    strings = tuple(one for one in values if isinstance(one, str))
    return strings if len(strings) == len(given.elts) else None


def _is_true(given: ast.expr | None) -> bool:
    return isinstance(given, ast.Constant) and given.value is True
