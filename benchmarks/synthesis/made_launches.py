"""Looks at a checkout of a public repository as `advisor check --no-run` does, up to launches it makes up."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.check.collectors import DefaultCollectors
from advisor.check.inputs import Inputs
from advisor.check.pipeline import Check, Evidence
from advisor.evidence.simulated.synthesis.result import Synthesis
from advisor.evidence.source.analysis import SourceEvidence
from advisor.model.records import Record
from advisor.model.settings.check_options import CheckOptions, Progress
from advisor.model.settings.config import Config

DEVICE = "a100-80gb"
# More than all kernels of a repository take.
_SECONDS = 3600.0


@dataclass(frozen=True)
class Checked:
    """The evidence of a folder; `problems` are those of kernels, by their path."""

    evidence: Evidence

    @property
    def syntheses(self) -> Mapping[str, Synthesis]:
        """What launches that are made up tell, by the keys of kernels."""
        return self.evidence.syntheses

    @property
    def kernels(self) -> Sequence[Record]:
        """The kernels of the source."""
        return [one for one in self.evidence.source.records if one.entity == "kernel"]

    def synthesis(self, path: str, name: str, line: int) -> tuple[Synthesis | None, str]:
        """What is told of the kernel that stands nearest to a line, and why nothing is asked of it."""
        found = [one for one in self.kernels if (one.path, qualified_name(one)) == (path, name)]
        if not found:
            return None, "The source has no such kernel."
        kernel = min(found, key=lambda one: abs(one.span.line - line))
        synthesis = self.syntheses.get(kernel.key)
        return synthesis, "" if synthesis else "The kernel is not compiled."


def qualified_name(kernel: Record) -> str:
    """The name of a kernel with those of the functions and classes that it stands in."""
    return kernel.key.rpartition("@")[0].partition("::")[2]


class _SomeKernels(DefaultCollectors):
    """The collectors of the command line, which compile only the kernels with some paths and names."""

    def __init__(self, kernels: frozenset[tuple[str, str]]) -> None:
        super().__init__()
        self._kernels = kernels

    def source(self, inputs: Inputs, options: CheckOptions, progress: Progress | None) -> SourceEvidence:
        """What the source says, with the units of these kernels."""
        found = super().source(inputs, options, progress)
        names = {one.key: (one.path, qualified_name(one)) for one in found.records if one.entity == "kernel"}
        return replace(found, units=[one for one in found.units if names.get(one.kernel) in self._kernels])


def checked_folder(
    root: Path, kernels: Iterable[tuple[str, str]] = (), cache: Path | None = None, pattern: str = "*.py"
) -> Checked:
    """The evidence of kernels of a folder, by path and name, or of all in files of a pattern; nothing is run.

    Without a folder for the cache nothing is known from before.
    """
    chosen = frozenset(kernels)
    paths = sorted({path for path, _ in chosen})
    files = [root / one for one in paths] or sorted(
        one
        for one in root.rglob(pattern)
        if not any(part.startswith(".") for part in one.relative_to(root).parts)
    )
    with tempfile.TemporaryDirectory() as fresh:
        options = CheckOptions(
            DEVICE, root, "synthesised", no_run=True, fixes=False, proofs=False, jobs=1, synthesis=True,
            settings=replace(Config(root=root), synthesis_seconds=_SECONDS),
            cache_folder=cache or Path(fresh),
        )  # fmt: skip
        return Checked(Check(files, options, collectors=_SomeKernels(chosen) if chosen else None).evidence())
