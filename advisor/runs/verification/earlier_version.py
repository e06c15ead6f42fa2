"""Files beside their earlier selves: the workloads of both run, outputs and predicted times compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.evidence.simulated.launches.workloads import WorkloadFunction, find_workloads
from advisor.model.devices import find_device
from advisor.model.errors import UsageError
from advisor.model.settings.check_options import CheckOptions
from advisor.model.text.source_text import read_source
from advisor.runs.verification.trial import had_trial
from advisor.runs.verification.verdicts import Judgement, judged


@dataclass(frozen=True)
class ProvenFile:
    """A file of the project, the functions in it that ran, and the judgement on what became of it."""

    path: str
    workloads: tuple[str, ...]
    judgement: Judgement


def compare_with_earlier(paths: Sequence[str], earlier: Path, options: CheckOptions) -> list[ProvenFile]:
    """The judgements on files, by their paths from the project's root, by those of an earlier project.

    What counts is the time of all kernels of these files that the workloads of one launch. Workloads that one
    side alone has are not run. Raises UsageError where a file has no workload on both sides.
    """
    evidence = f"simulated on {find_device(options.device).name}"
    there = replace(options, root=earlier, settings=replace(options.settings, root=earlier))
    texts_there, texts_here = _texts(earlier, paths), _texts(options.settings.root, paths)
    found = []
    for path in paths:
        after, before = _workloads(options.settings.root, path), _workloads(earlier, path)
        names = [name for name in after if name in before]
        if not names:
            raise UsageError(
                f"{path}: has no workload now and before that would show the change; write a function "
                "`workload()` that launches its kernels, in both."
            )
        judgement = judged(
            had_trial([before[name] for name in names], texts_there, there),
            had_trial([after[name] for name in names], texts_here, options),
            None,
            evidence,
        )
        found.append(ProvenFile(path, tuple(names), judgement))
    return found


def _workloads(root: Path, path: str) -> Mapping[str, WorkloadFunction]:
    file = root / path
    if not file.is_file():
        return {}
    return {one.name: one for one in find_workloads(path, read_source(file, path).text)}


def _texts(root: Path, paths: Sequence[str]) -> dict[str, str]:
    """The texts of those files that are there: their kernels are looked at."""
    return {path: read_source(root / path, path).text for path in paths if (root / path).is_file()}
