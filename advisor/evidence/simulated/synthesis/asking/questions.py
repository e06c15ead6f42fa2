"""A kernel that is asked about, independent of where it stands: edits above it change nothing."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from advisor.evidence.simulated.synthesis.asking.known_launches import known_launch
from advisor.evidence.simulated.synthesis.request import KnownLaunch, Limits, Request
from advisor.evidence.simulated.synthesis.result import LineCounts, Synthesis
from advisor.model.compilation_unit import CompilationUnit
from advisor.model.data_files import knowledge_folder
from advisor.model.machine_code.kernel_code import KernelCode
from advisor.model.storage.file_stamp import stamps_of
from advisor.program.index_relations.index_relations import index_relations

# What all launches of one kernel may cost together.
LIMITS = Limits(seconds=6.0, memory_bytes=2 << 30, instructions=20_000)
_PLACE = re.compile(r"unit-function-(\d+)\.py")
_NAME = "kernel"
# Raised whenever a question would be answered otherwise by the same program.
_FORMAT = 6


@dataclass(frozen=True)
class Question:
    """A compiled kernel, the key of its code, and the launch in the source that is the pattern, if any."""

    unit: CompilationUnit
    code: str
    launch: KnownLaunch

    @classmethod
    def about(cls, unit: CompilationUnit, code: str) -> Question:
        """The question about a unit."""
        return cls(unit, code, known_launch(unit))

    @property
    def key(self) -> str:
        """Equal for questions that have the same answer."""
        asked = [_FORMAT, _identity(), self.code, asdict(self._launch), asdict(LIMITS)]
        return f"synthesised:{hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()}"

    @property
    def size(self) -> int:
        """Roughly how much there is to translate."""
        return sum(len(function.source) for function in self.unit.functions)

    def request(self, codes: Sequence[KernelCode]) -> Request:
        """What is asked of the process that runs the launches, places being lines of the unit's functions."""
        functions = tuple(
            replace(one, path=_place(number), line=1, columns=())
            for number, one in enumerate(self.unit.functions)
        )
        unit = replace(self.unit, kernel=_NAME, path="", functions=functions, launches=())
        relations = index_relations(unit, codes[0].types)
        second = unit.with_other_values()[-1:] if unit.candidates else ()
        others = index_relations(second[0], codes[-1].types) if second else None
        places = tuple((one.path, 1) for one in functions)
        named = tuple(replace(one, kernel=_NAME) for one in codes)
        return Request(_NAME, named, relations, self._launch, places, LIMITS, others)

    @property
    def _launch(self) -> KnownLaunch:
        # Where the pattern stands decides nothing.
        return replace(self.launch, where="")

    def placed(self, answer: Synthesis) -> Synthesis:
        """An answer with its lines where the unit's functions stand."""
        lines = tuple(placed for one in answer.lines if (placed := self._placed(one)) is not None)
        return replace(answer, kernel=self.unit.kernel, lines=lines)

    def _placed(self, line: LineCounts) -> LineCounts | None:
        found = _PLACE.fullmatch(line.path)
        if found is None or int(found[1]) >= len(self.unit.functions):
            return None
        function = self.unit.functions[int(found[1])]
        if not 1 <= line.line <= function.source.count("\n") + 1:
            return None
        return replace(line, path=function.path, line=function.line + line.line - 1)


def _place(function: int) -> str:
    return f"unit-function-{function}.py"


@cache
def _identity() -> str:
    """Changes with all of this program that decides answers."""
    folder = Path(__file__).parents[4]
    parts = ("evidence/simulated/simt", "evidence/simulated/synthesis", "program/index_relations")
    files = [file for part in parts for file in sorted((folder / part).rglob("*.py"))]
    files += sorted((knowledge_folder() / "machine").glob("*.toml"))
    try:
        translator = version("llvmlite")
    except PackageNotFoundError:
        translator = ""
    return hashlib.sha256(repr((stamps_of(files), translator)).encode()).hexdigest()
