"""What launches that were made up tell, as records and readings of lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from advisor.evidence.simulated.simt.launch import Extent
from advisor.evidence.simulated.synthesis.request import KnownLaunch
from advisor.evidence.simulated.synthesis.result import Synthesis
from advisor.model.compilation_unit import CompilationUnit
from advisor.model.records import LineReading, Record
from advisor.model.text.source_text import Span


@dataclass
class SynthesisedEvidence:
    """Records of kernels, readings of their lines, and what all of it rests on by the kernels' keys."""

    records: list[Record] = field(default_factory=list)
    lines: list[LineReading] = field(default_factory=list)
    by_kernel: dict[str, Synthesis] = field(default_factory=dict)

    def add(self, unit: CompilationUnit, launch: KnownLaunch, synthesis: Synthesis) -> None:
        """Add what is known of one kernel of Numba."""
        function = next(function for function in unit.functions if not function.device)
        record = Record("kernel", unit.kernel, function.path, Span(function.line), function.name)
        self.add_record(record, launch_in_words(synthesis, launch), synthesis)

    def add_record(self, record: Record, words: str, synthesis: Synthesis) -> None:
        """Add a kernel's record, once it has what is known; `words` say which launches tell it, or are
        empty.
        """
        assumptions = (*filter(None, [words]), *synthesis.assumptions)
        record.know("synthesised", assumptions, **synthesis.values)
        record.know(
            "synthesised",
            assumptions,
            synthesised_launches=sum(one.ended for one in synthesis.launches),
            counts_unknown_because=synthesis.unknown or None,
        )
        self.by_kernel[record.key] = synthesis
        self.records.append(record)
        self.lines += replace(synthesis, assumptions=assumptions).line_readings()


def launch_in_words(synthesis: Synthesis, launch: KnownLaunch) -> str:
    """The first launch that was made up and how many agree, as a sentence; empty where there was none."""
    if not synthesis.launches:
        return ""
    made = synthesis.launches[0]
    # What is said of a block that no launch tells is one of the assumptions.
    where = f" [from {launch.where}]" if launch.where and launch.block == made.block else ""
    types = f", {', '.join(made.types)}" if made.types else ""
    return launch_sentence(synthesis, f"block {shape(made.block)}{where}{types}")


def launch_sentence(synthesis: Synthesis, block: str) -> str:
    """The sentence on the first of some launches, whose block and arguments are told by `block`, and on how
    many agree with it.
    """
    others = len(synthesis.launches) - 1
    agrees = f"; {others} {'other agrees' if others == 1 else 'others agree'}" if others else ""
    return f"Synthesised launch: grid {shape(synthesis.launches[0].grid)}, {block}{agrees}."


def shape(extent: Sequence[int] | Extent) -> str:
    """A grid or a block without the axes at its end that have one element."""
    sizes = list(extent)
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes.pop()
    return str(sizes[0]) if len(sizes) == 1 else f"({', '.join(map(str, sizes))})"
