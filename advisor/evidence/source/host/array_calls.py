"""Copies, waits and allocations of torch and cupy in host code."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from advisor.evidence.source.host.copies.changed_copies import changes_on_device
from advisor.evidence.source.host.copies.copied_values import (
    data_names,
    elements_filled,
    filled_for_copy,
    is_plain,
)
from advisor.evidence.source.host.data_flow.call_options import non_blocking
from advisor.evidence.source.host.data_flow.device_names import destination
from advisor.evidence.source.host.data_flow.loop_context import (
    LoopContext,
    is_reusable,
    loop_context,
)
from advisor.evidence.source.host.data_flow.placed import CUPY_CREATORS, RANDOM_CREATORS, TORCH_CREATORS
from advisor.evidence.source.host.data_flow.placement import Placement
from advisor.evidence.source.host.host_records import host_record
from advisor.evidence.source.kernel_walk.walk import WalkedKernels
from advisor.model.records import Record, Value
from advisor.program.launches.launches import Launch
from advisor.program.launches.timing_loops import reads_clock
from advisor.program.names.scope_bindings import values_at
from advisor.program.syntax.module import names_in
from advisor.program.values.constants import Constants

_METHODS = frozenset({
    "to", "cuda", "cpu", "item", "tolist", "get", "asnumpy", "asarray", "array", "synchronize", "empty_cache",
    "free_all_blocks", "deviceSynchronize",
}) | TORCH_CREATORS | CUPY_CREATORS  # fmt: skip
_NUMBERS = frozenset({"float", "int", "bool", "print"})


def array_call_records(
    placement: Placement, launches: Sequence[Launch], walked: WalkedKernels
) -> Iterator[Record]:
    """The places where torch or cupy copies, waits or allocates. `launches` are those of the module."""
    return _ArrayCalls(placement, launches, walked).found()


class _ArrayCalls:
    def __init__(self, placement: Placement, launches: Sequence[Launch], walked: WalkedKernels) -> None:
        self.placement, self.module = placement, placement.module
        self.launches, self.walked = launches, walked
        self.roots = {one for one in ("torch", "cupy") if self.module.mentions(one)}

    def found(self) -> Iterator[Record]:
        """The calls in order of lines, then the conditions that read an array."""
        if not self.roots:
            return
        for call in self.module.calls:
            function = call.func
            if isinstance(function, ast.Attribute) and function.attr in _METHODS:
                one = self._method(call, function)
            elif isinstance(function, ast.Name) and function.id in _NUMBERS and call.args:
                one = self._number(call, function.id)
            else:
                continue
            if one is not None:
                yield one
        yield from self._conditions()

    def _method(self, call: ast.Call, function: ast.Attribute) -> Record | None:
        name = function.attr
        dotted = self.module.dotted(function) or ""
        root = dotted.split(".")[0]
        if root in self.roots:
            return self._library(call, dotted, root, name)
        if name in ("to", "cuda") and "torch" in self.roots:
            return self._sent(call, function)
        if name == "synchronize":
            return self._stream_wait(call, dotted)
        if name == "free_all_blocks" and "cupy" in self.roots and not (call.args or call.keywords):
            return self._one(call, "synchronisation", "free_all_blocks", "cupy", kind="free")
        if name in ("item", "tolist", "cpu", "get") and self.placement.on_gpu(function.value):
            place = self.placement.of(function.value)
            assert place is not None
            if name in ("item", "tolist"):
                return self._one(call, "synchronisation", f".{name}()", place.library, kind="read")
            if (name == "cpu") == (place.library == "torch") and place.library != "numba":
                return self._fetched(call, f".{name}()", place.library)
        return None

    def _library(self, call: ast.Call, dotted: str, root: str, name: str) -> Record | None:
        if dotted == "torch.cuda.synchronize" or dotted.endswith("runtime.deviceSynchronize"):
            return self._one(call, "synchronisation", dotted, root, kind="wait")
        if dotted == "torch.cuda.empty_cache":
            return self._one(call, "synchronisation", dotted, root, kind="free")
        if dotted == "cupy.asnumpy" and call.args and self.placement.on_gpu(call.args[0]):
            return self._fetched(call, dotted, root)
        if dotted in ("cupy.asarray", "cupy.array") and call.args:
            source = self.placement.of(call.args[0])
            if source is not None and source.library == "numpy" and not source.shared:
                return self._moved(call, dotted, root, call.args[0], non_blocking=False)
            return None
        if dotted.startswith("cupy.cuda.") and name == "synchronize":
            return self._one(call, "synchronisation", dotted, root, kind="wait")
        place = self.placement.of(call)
        created = dotted in {f"torch.{one}" for one in TORCH_CREATORS} | {
            f"cupy.{one}" for one in CUPY_CREATORS
        }
        return self._created(call, dotted, root) if created and place is not None and place.on_gpu else None

    def _created(self, call: ast.Call, dotted: str, root: str) -> Record | None:
        context = loop_context(self.module, call)
        if not context.loops:
            return None
        reusable = is_reusable(self.module, call)
        if dotted.rpartition(".")[2] in RANDOM_CREATORS | {"arange", "linspace", "eye", "tensor", "logspace"}:
            reusable = False
        return self._record(call, "allocation", dotted, root, context, {"reusable": reusable})

    def _sent(self, call: ast.Call, function: ast.Attribute) -> Record | None:
        place = self.placement.of(function.value)
        where = destination(call, self.placement.devices)
        if place is None or place.library != "torch" or place.kind != "array" or where is None:
            return None
        if where == "cpu" and place.on_gpu:
            return self._fetched(call, '.to("cpu")', "torch", non_blocking(call))
        if where == "gpu" and place.where == "host":
            name = ".cuda()" if function.attr == "cuda" else ".to()"
            return self._moved(call, name, "torch", function.value, non_blocking(call))
        return None

    def _moved(
        self, call: ast.Call, name: str, library: str, source: ast.expr, non_blocking: bool | None
    ) -> Record:
        place = self.placement.of(source)
        context = loop_context(self.module, call)
        filled = filled_for_copy(source, self.module) if library == "cupy" else None
        constants = Constants(self.placement.workspace, self.module, self.module.function_around(call))
        values: dict[str, Value | None] = {
            "direction": "to_device",
            "non_blocking": non_blocking,
            "source_pinned": place.pinned if place else None,
            "created_for_copy": self._is_creator(source) or filled is not None,
            "created_elements": elements_filled(filled, constants) if filled is not None else None,
        }
        if context.loops:
            changed = self.module.changed_names(context.loops[0])
            read = data_names(source, self.module)
            values["loop_invariant"] = is_plain(source, self.module) and bool(read) and not read & changed
            values["changes_on_device"] = changes_on_device(call, self.module, self.launches, self.walked)
        return self._record(call, "transfer", name, library, context, values)

    def _is_creator(self, source: ast.expr) -> bool:
        """Whether an expression is a call that makes a tensor and could make it on any device."""
        if not isinstance(source, ast.Call) or any(
            one.arg in ("pin_memory", None) for one in source.keywords
        ):
            return False
        dotted = self.module.dotted(source.func) or ""
        name = dotted.rpartition(".")[2]
        return dotted == f"torch.{name}" and name in TORCH_CREATORS - RANDOM_CREATORS - {"tensor"}

    def _fetched(self, call: ast.Call, name: str, library: str, quick: bool | None = False) -> Record:
        context = loop_context(self.module, call)
        values: dict[str, Value | None] = {
            "direction": "to_host",
            "non_blocking": quick,
            "loop_invariant": False,
        }
        return self._record(call, "transfer", name, library, context, values)

    def _stream_wait(self, call: ast.Call, dotted: str) -> Record | None:
        """`stream.synchronize()` where the stream was made by torch or cupy in the same function."""
        assert isinstance(call.func, ast.Attribute)
        value = call.func.value
        made = [value] if isinstance(value, ast.Call) else []
        if isinstance(value, ast.Name):
            made = [one for one in values_at(self.module, value) if isinstance(one, ast.Call)]
        names = [self.module.dotted(one.func) or "" for one in made]
        if not names or not all(name.startswith(("torch.cuda.", "cupy.cuda.")) for name in names):
            return None
        loop = next(iter(loop_context(self.module, call).loops), None)
        if loop is not None and names_in(call.func) & self.module.changed_names(loop):
            # The loop waits for one stream after the other, so all of them go on meanwhile.
            return None
        library = names[0].split(".")[0]
        return self._one(call, "synchronisation", dotted or "synchronize", library, kind="wait")

    def _number(self, call: ast.Call, name: str) -> Record | None:
        shown = [part for one in call.args for part in _shown(one)] if name == "print" else call.args[:1]
        for one in shown:
            if self.placement.on_gpu(one):
                place = self.placement.of(one)
                library = place.library if place is not None else ""
                kind = "print" if name == "print" else "read"
                return (
                    None
                    if library == "numba"
                    else self._one(call, "synchronisation", f"{name}()", library, kind)
                )
        return None

    def _conditions(self) -> Iterator[Record]:
        tree = self.module.tree
        conditions: list[ast.If | ast.While] = [*self.module.inside(tree, ast.If)]
        for node in (*conditions, *self.module.inside(tree, ast.While)):
            place = None if isinstance(node.test, ast.Constant) else self.placement.of(node.test)
            if place is not None and place.on_gpu and place.library != "numba":
                word = "if" if isinstance(node, ast.If) else "while"
                at = node.body[0] if isinstance(node, ast.While) else node
                context = loop_context(self.module, at)
                values: dict[str, Value | None] = {"kind": "read", "timed": context.timed}
                yield self._record(node.test, "synchronisation", word, place.library, context, values)

    def _record(
        self,
        node: ast.expr,
        entity: str,
        call: str,
        library: str,
        context: LoopContext,
        values: dict[str, Value | None],
    ) -> Record:
        if context.loops:
            values = {**values, "every_iteration": context.every_iteration}
        return host_record(self.module, entity, node, call, context, call=call, library=library, **values)

    def _one(self, node: ast.expr, entity: str, call: str, library: str, kind: str) -> Record:
        context = loop_context(self.module, node)
        timed = context.timed or any(reads_clock(loop, self.module) for loop in context.loops)
        return self._record(node, entity, call, library, context, {"kind": kind, "timed": timed})


def _shown(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.JoinedStr):
        return [one.value for one in node.values if isinstance(one, ast.FormattedValue)]
    return [node]
