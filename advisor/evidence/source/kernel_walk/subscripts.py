"""Subscripts in a kernel: which element or row of which array is meant."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.affine_forms import number
from advisor.evidence.source.kernel_walk.kernel_facts import Access, Index, Kind, Scalar, Tuple, Value, View
from advisor.evidence.source.kernel_walk.kernel_names import Names


class Subscripts(Names):
    """Subscripts: loads, stores, rows and slices of arrays."""

    def _subscript(self, node: ast.Subscript) -> Value:
        base = self.value(node.value)
        if isinstance(base, Tuple):
            index = self.scalar(node.slice).form.constant
            if index is not None and -len(base.items) <= index < len(base.items):
                return base.items[index]
            return self.opaque([base])
        view = self.view(base)
        if view is None:
            return self.opaque([base, self.value_of_index(node.slice)], loaded=True)
        view = self.indexed(view, node.slice)
        if isinstance(base, Scalar):
            self.withdraw(base)
        if any(index.is_slice for index in view.prefix):
            return view
        return self.load(node, view)

    def load(self, node: ast.AST, view: View) -> Scalar:
        """The value of an element, noting the load."""
        kind: Kind = None
        if view.array.dtype:
            name = view.array.dtype.rpartition(".")[2]
            kind = (
                "float"
                if name.startswith(("float", "f"))
                else "int"
                if name.startswith(("int", "uint"))
                else None
            )
        depends: frozenset[str] = frozenset()
        for index in view.prefix:
            depends |= self.atoms.depends(index.form)
        self.note_access(node, view, "load")
        return Scalar(self.atoms.opaque(depends, True, "load"), kind, view)

    def withdraw(self, base: Scalar) -> None:
        """Take back the load of a row, when only an element of it is used."""
        for position in range(len(self.facts.accesses) - 1, max(len(self.facts.accesses) - 40, -1), -1):
            access = self.facts.accesses[position]
            if (
                base.view is not None
                and access.array is base.view.array
                and access.indices == base.view.prefix
            ):
                if access.kind == "load":
                    self.withdrawn += 1
                    del self.facts.accesses[position]
                return

    def note_access(self, node: ast.AST, view: View, kind: str, value: Value | None = None) -> None:
        """Note a load, store or update of the element or part of an array that `view` names; `value` is what
        a store puts there.
        """
        for index in view.prefix:
            if index.form.terms:
                self.facts.index_atoms |= index.form.atoms()
        depends = frozenset[str]() if value is None else self.depends(value)
        access = Access(self.place(node), view.array, view.prefix, kind, value_depends=depends)  # type: ignore[arg-type]
        self.facts.accesses.append(access)

    def note_handed_on(self, values: Sequence[Value]) -> None:
        """Note the rows among the arguments of a function that is not known."""
        for value in values:
            view = self.view(value)
            if view is not None and view.prefix:
                row = (id(view.array), *(index.form for index in view.prefix))
                self.facts.rows_handed_on.add(row)

    def value_of_index(self, node: ast.expr) -> Value:
        """The meaning of what stands in square brackets, slices included."""
        return self.opaque([Scalar(index.form) for index in self.indices(node)])

    def indices(self, node: ast.expr) -> tuple[Index, ...]:
        """The indices in square brackets."""
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        found: list[Index] = []
        for part in parts:
            if isinstance(part, ast.Slice):
                found.append(self._slice(part))
                continue
            value = self.value(part)
            if isinstance(value, Tuple):
                found += [Index(self.as_scalar(item).form) for item in value.items]
            elif isinstance(part, ast.Constant) and part.value is None:
                continue
            else:
                found.append(Index(self.as_scalar(value).form))
        return tuple(found)

    def _slice(self, part: ast.Slice) -> Index:
        step = self.scalar(part.step).form if part.step is not None else number(1)
        if part.upper is not None:
            self.value(part.upper)
        if part.lower is not None:
            return Index(self.scalar(part.lower).form, True, step)
        # Backwards a slice begins at an end that is not known here.
        forwards = step.constant is None or step.constant > 0
        return Index(number(0) if forwards else self.opaque([]).form, True, step)

    def indexed(self, view: View, node: ast.expr) -> View:
        """A view with further indices, which fill first what earlier subscripts have left open by slices."""
        prefix = list(view.prefix)
        still_open = [position for position, known in enumerate(prefix) if known.is_slice]
        for index in self.indices(node):
            if still_open:
                position = still_open.pop(0)
                begin = prefix[position]
                form = begin.form + begin.step * index.form
                prefix[position] = Index(form, index.is_slice, begin.step * index.step)
            else:
                prefix.append(index)
        return View(view.array, tuple(prefix))
