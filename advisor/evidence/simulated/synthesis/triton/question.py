"""A kernel of Triton that is asked about, independent of where it stands: edits above it change nothing."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from advisor.evidence.simulated.synthesis.request import Limits
from advisor.evidence.simulated.synthesis.result import LineCounts, Synthesis
from advisor.evidence.simulated.synthesis.triton.places import function_at
from advisor.evidence.simulated.synthesis.triton.request import TritonRequest
from advisor.model.data_files import knowledge_folder
from advisor.model.machine_code.triton_unit import TritonUnit
from advisor.model.storage.file_stamp import stamps_of

# What all launches of one kernel may cost together, its compilation included.
LIMITS = Limits(seconds=10.0, memory_bytes=2 << 30, instructions=20_000)
_NAME = "kernel"


@dataclass(frozen=True)
class TritonQuestion:
    """A kernel with the launches that are made up for it, and the compute capability: 80 for 8.0."""

    unit: TritonUnit
    capability: int

    @property
    def key(self) -> str:
        """Equal for questions that have the same answer."""
        asked = [_identity(), self.capability, asdict(self._nowhere), asdict(LIMITS)]
        return f"synthesised-triton:{hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()}"

    @property
    def size(self) -> int:
        """Roughly how much there is to compile and run."""
        return sum(len(one.source) for one in self.unit.functions)

    @property
    def request(self) -> TritonRequest:
        """What is asked of the process that runs the launches."""
        return TritonRequest(_NAME, self._nowhere, self.capability, LIMITS)

    def placed(self, answer: Synthesis) -> Synthesis:
        """An answer with its lines where the unit's functions stand."""
        lines = tuple(placed for one in answer.lines if (placed := self._placed(one)) is not None)
        return replace(answer, kernel=self.unit.kernel, lines=lines)

    @property
    def _nowhere(self) -> TritonUnit:
        functions = tuple(replace(one, path="", line=1) for one in self.unit.functions)
        return replace(self.unit, kernel=_NAME, path="", line=1, where="", functions=functions)

    def _placed(self, line: LineCounts) -> LineCounts | None:
        number = function_at(line.path)
        if number is None or number >= len(self.unit.functions):
            return None
        function = self.unit.functions[number]
        if not 1 <= line.line <= function.source.count("\n"):
            return None
        return replace(line, path=function.path, line=function.line + line.line - 1)


@cache
def _identity() -> str:
    """Changes with all of this program, and of Triton, that decides answers."""
    folder = Path(__file__).parents[4]
    parts = ("evidence/simulated/simt", "evidence/simulated/synthesis", "evidence/simulated/driver/triton")
    files = [file for part in parts for file in sorted((folder / part).rglob("*.py"))]
    files += sorted((knowledge_folder() / "machine").glob("*.toml"))
    versions = []
    for name in ("triton", "llvmlite"):
        try:
            versions.append(version(name))
        except PackageNotFoundError:
            versions.append("")
    return hashlib.sha256(repr((stamps_of(files), versions)).encode()).hexdigest()
