"""Records of what `@triton.autotune` tries, and of its key."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.evidence.source.triton.configurations import Configuration, Sizes
from advisor.evidence.source.triton.record_making import is_power_of_two, record_at
from advisor.evidence.source.triton.walk.notes import KernelNotes
from advisor.model.records import Record, Value

_OPTIONS = frozenset({
    "num_warps", "num_stages", "num_ctas", "maxnreg", "waves_per_eu", "matrix_instr_nonkdim", "kpack",
    "num_buffers_warp_spec", "num_consumer_groups", "reg_dec_producer", "reg_inc_consumer", "minRegAutoWS",
    "maxRegAutoWS", "ir_override", "enable_warp_specialization", "grf_mode", "schedule_hint", "multibuffer",
})  # fmt: skip


def extent_parameters(notes: KernelNotes) -> frozenset[str]:
    """The parameters that are extents of blocks."""
    return frozenset(
        one.name
        for one in notes.extents
        if one.name in notes.function.parameters and one.value.form.atoms() == {one.name}
    )


def dot_parameters(notes: KernelNotes) -> frozenset[str]:
    """The parameters that are extents of the factors of products."""
    found = set[str]()
    for dot in notes.dots:
        for shape in (dot.left.shape, dot.right.shape):
            found |= {one for one in (shape or ())[-2:] if isinstance(one, str)}
    return frozenset(found) & frozenset(notes.function.parameters)


def tuning_records(notes: KernelNotes) -> Iterator[Record]:
    """The records of the configurations, of the sizes in them, and of the texts in the key."""
    function, tuning = notes.function, notes.function.tuning
    if tuning is None:
        return
    module = function.module
    extents, dots = extent_parameters(notes), dot_parameters(notes)
    for one in tuning.configurations:
        if module.parents.get(one.node) is None:
            continue
        yield record_at(module, "triton_config", one.node, "configuration", function.key, _values(one, notes))
        for name, node in one.nodes.items():
            sizes = one.sizes.get(name, frozenset())
            if name in extents | dots and len(sizes) == 1 and isinstance(node, ast.Constant):
                size = min(sizes)
                values: dict[str, Value | None] = {
                    "parameter": name,
                    "elements": size,
                    "power_of_two": is_power_of_two(size),
                    "run_time": False,
                    "given_at": "configuration",
                    "of_product": name in dots,
                }
                yield record_at(module, "triton_size", node, name, function.key, values)
    for key in tuning.keys or ():
        known = key.value in function.parameters or function.wrapped
        values = {"name": str(key.value), "is_parameter": known}
        yield record_at(module, "triton_key", key, str(key.value), function.key, values)


def _values(one: Configuration, notes: KernelNotes) -> dict[str, Value | None]:
    function = notes.function
    unknown = sorted(set(one.sizes) - set(function.parameters) - _OPTIONS)
    pruned = function.tuning is not None and function.tuning.pruned
    varies = function.node.args.kwarg is not None
    return {
        "unknown_parameters": None if varies or pruned else len(unknown),
        "first_unknown": unknown[0] if unknown else None,
        "stages": _only(one.options.get("num_stages")),
    }


def _only(sizes: Sizes | None) -> int | None:
    return min(sizes) if sizes is not None and len(sizes) == 1 else None
