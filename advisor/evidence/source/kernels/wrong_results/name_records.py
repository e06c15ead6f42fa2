"""Records of names that a kernel, or a function that it calls, reads and nothing defines."""

from __future__ import annotations

from advisor.evidence.source.kernel_walk.kernel_facts import KernelFacts, Place
from advisor.evidence.source.kernels.placed_records import record_at
from advisor.model.records import Record
from advisor.program.resolution.undefined_names import likely_name, undefined_in_decorators, undefined_names


def name_records(facts: KernelFacts, kernel: str) -> list[Record]:
    """One record for each such name, at the first place in each function that reads it, or is decorated with
    it.
    """
    found = []
    functions = {id(one.node): one for one in (facts.declaration, *facts.called)}
    for function in functions.values():
        names = undefined_names(function.node, function.module)
        decorating = undefined_in_decorators(function.node, function.module)
        for name in (*decorating, *names):
            place = Place(function.module, name, (), ())
            record = record_at("name", kernel, place, name.id, f"name:{name.id}")
            likely = likely_name(name.id, function.node)
            record.know("source", name=name.id, undefined=True, likely=likely)
            found.append(record)
    return found
