"""Self-contained units of kernels in small programs, for the tests of the closure."""

from __future__ import annotations

import textwrap
from pathlib import Path

from advisor.evidence.source.other_files.factory_callers import factories_around, factory_callers
from advisor.model.compilation_unit import CompilationUnit, FunctionText
from advisor.program.compilation_units.closure import compilation_unit
from advisor.program.kernels.declarations import find_declarations
from advisor.program.names.workspace import Workspace


def unit_of(
    folder: Path,
    program: str,
    call_types: dict[str, str] | None = None,
    kernel: str = "kernel",
    **others: str,
) -> CompilationUnit:
    """The unit of a kernel in `program`; `others` are more modules, name (`package_in_deep`) to text, where
    calls of what makes kernels are looked for; one that is called `launching` launches the kernel.
    """
    for name, text in {"program": program, **others}.items():
        file = folder / (name.replace("_in_", "/") + ".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text).lstrip("\n"))
    workspace = Workspace(folder)
    module = workspace.module(folder.resolve() / "program.py")
    assert module is not None
    declarations = find_declarations(module, workspace)
    files = sorted(folder.resolve().rglob("*.py"))
    return compilation_unit(
        next(d for d in declarations if d.name == kernel),
        workspace,
        lambda m: declarations if m is module else find_declarations(m, workspace),
        call_types,
        factory_callers(factories_around(declarations), files, folder.resolve()),
        [file for file in files if file.stem == "launching"],
    )


def text_of(unit: CompilationUnit, name: str) -> FunctionText:
    """The function of a unit that has a name."""
    return next(function for function in unit.functions if function.name == name)
