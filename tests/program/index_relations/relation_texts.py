"""Relations of small kernels as lines to read: `a.0 = b.0 = n along x`."""

from __future__ import annotations

import ast
import textwrap

from advisor.model.compilation_unit import CompilationUnit, FunctionText
from advisor.program.index_relations.index_relations import index_relations
from advisor.program.index_relations.relations import (
    Extent,
    IndexRelations,
    IndexTerm,
    Size,
)

TYPES = {
    "f": "float32[::1]",
    "ff": "float32[:,::1]",
    "fff": "float32[:,:,::1]",
    "i": "int32[::1]",
    "ii": "int32[:,::1]",
    "n": "int64",
    "x": "float64",
    "states": "xoroshiro128p_type[::1]",
    "points": "from_dtype([('x', '<f4'), ('cell', '<i4')], False)[::1]",
    "pair": "UniTuple(int64, 2)",
    "arrays": "UniTuple(float32[::1], 2)",
    "mixed": "Tuple((int64, float32[:,::1]))",
}
ALIASES = {
    "cuda": "numba.cuda",
    "math": "math",
    "np": "numpy",
    "xoroshiro128p_uniform_float32": "numba.cuda.random.xoroshiro128p_uniform_float32",
}


def unit(source: str, constants: dict[str, str] | None = None) -> CompilationUnit:
    """The unit of functions of which the last is the kernel."""
    text = textwrap.dedent(source).strip() + "\n"
    trees = [one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef)]
    lines = text.splitlines(keepends=True)
    functions = [
        FunctionText(
            tree.name,
            "".join(lines[tree.lineno - 1 : tree.end_lineno]),
            "m.py",
            tree.lineno,
            tree is not trees[-1],
        )
        for tree in trees
    ]
    ordered = sorted(functions, key=lambda one: one.device)
    return CompilationUnit("m.py::k", "m.py", tuple(ordered), constants or {}, ALIASES)


def relations(types: str, source: str, **constants: str) -> IndexRelations:
    """The relations of the last function; `types` names one type of TYPES for each parameter."""
    return index_relations(unit(source, constants), [TYPES.get(one, one) for one in types.split()])


def size(one: Size | int) -> str:
    if isinstance(one, int):
        return str(one)
    return f"{one.array}.{one.axis}" if isinstance(one, Extent) else one.name


def term(one: IndexTerm) -> str:
    rows = " and ".join(map(size, one.rows)) or "?"
    along = "" if one.axis is None else f" along {one.unit} {'xyz'[one.axis]}"
    return " * ".join([f"({rows}{along})", *map(size, one.widths)])


def lines(found: IndexRelations) -> list[str]:
    """What is known, a line for each relation."""
    said = []
    for group in found.equal:
        text = " = ".join(map(size, group.sizes))
        text += f" >= {group.least}" if group.least else ""
        said.append(text + ("" if group.thread_axis is None else f" along {'xyz'[group.thread_axis]}"))
    for extent, use in found.axes.items():
        name = size(extent)
        said += [f"{name} has {use.constants}"] * bool(use.constants)
        said += [f"{name} unguarded along {'xyz'[axis]}" for axis in sorted(use.unguarded)]
        said += [f"{name} beyond by {use.beyond}"] * bool(use.beyond)
        said += [f"{name} scattered"] * use.scattered
    for one in found.sums:
        offset = f" {one.offset:+}" if one.offset else ""
        relation = "guards" if one.guards else ">"
        said.append(f"{size(one.size)} {relation} {' + '.join(map(term, one.terms))}{offset}")
    said += [f"{name} indexes {', '.join(map(size, of))}" for name, of in found.index_of.items()]
    said += [f"{name} advances by {' * '.join(map(size, of))}" for name, of in found.index_steps.items()]
    said += [f"{name} bounds rows" for name in sorted(found.row_bounds)]
    said += [f"{name} scales" for name in sorted(found.scaled_floats)]
    said += [f"{name} begins as zero" for name in sorted(found.zeroed)]
    return said
