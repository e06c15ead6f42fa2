"""Fixes that make their kernels faster, written round by round until no further one does."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from advisor.fixes.application import edits_by_path
from advisor.model.findings import FASTER, Finding, Fix
from advisor.model.settings.check_options import CheckOptions
from advisor.runs.verification.runs import Verified, chosen_pairs
from advisor.runs.verification.verdicts import Judgement
from advisor.runs.verification.verification import Progress, Verification, verify

# Writes fixes to their files; what it gives is a sentence for each file that it had to leave alone.
Write = Callable[[Verification, list[tuple[Finding, Fix]]], list[str]]
_MOST_ROUNDS = 10


@dataclass(frozen=True)
class Step:
    """One round for the kernels that one file's workloads, or one program, run: the fixes that were written
    together, and what they gave.
    """

    path: str
    fixes: tuple[str, ...]
    judgement: Judgement


@dataclass
class Improvement:
    """The steps that were written, the last verification, sentences on files that were left alone, and how
    often recorded programs were run.
    """

    steps: list[Step] = field(default_factory=list)
    last: Verification | None = None
    refused: list[str] = field(default_factory=list)
    programs_run: Counter[str] = field(default_factory=Counter)


def improve(
    files: Sequence[Path],
    options: CheckOptions,
    write: Write,
    progress: Progress | None = None,
    gpu: str = "",
    no_programs: bool = False,
) -> Improvement:
    """What was written to the files: fixes that are measured, or without a GPU predicted, to make
    their kernels faster.

    In each round the fixes that help alone are tried together, and taken together where that is better than
    the best of them; where none helps alone, those without a difference, and those that are predicted faster
    within the model's error, are tried together: one may open the way for another.
    """
    found = Improvement()
    for _ in range(_MOST_ROUNDS):
        found.last = verify(files, options, progress, gpu, no_programs)
        steps = _round(found.last)
        found.programs_run += found.last.runs.programs_run
        if not steps:
            break
        pairs = [pair for _, chosen in steps for pair in chosen_pairs(chosen)]
        refused = write(found.last, pairs)
        if refused:
            found.refused += refused
            break
        found.steps += [step for step, _ in steps]
    return found


def _round(verification: Verification) -> list[tuple[Step, list[Verified]]]:
    groups: dict[str, list[Verified]] = {}
    for one in verification.verified:
        if one.place is not None:
            groups.setdefault(one.place[0], []).append(one)
    found = []
    touched: set[str] = set()
    for runner, verified in sorted(groups.items()):
        step = _step(verification.runs.file_of(runner), verified, verification)
        # What two groups have for one file was not tried together; the next round takes the other.
        files = set(edits_by_path(chosen_pairs(step[1]))) if step is not None else set()
        if step is not None and not files & touched:
            touched |= files
            found.append(step)
    return found


def _step(
    path: str, verified: Sequence[Verified], verification: Verification
) -> tuple[Step, list[Verified]] | None:
    helping = [one for one in verified if one.judgement.verdict in FASTER]
    neutral = [one for one in verified if may_help(one.judgement)]
    helping.sort(key=lambda one: -(one.judgement.speedup or 0.0))
    tried = [helping, helping[:1]] if helping else [neutral]
    best: tuple[Step, list[Verified]] | None = None
    for parts in tried:
        if not parts or (best is not None and len(helping) == 1):
            continue
        judgement = (
            parts[0].judgement
            if len(parts) == 1
            else verification.runs.judge_together(parts, _texts(verification))
        )
        if judgement.verdict in FASTER and _better(judgement, best):
            names = tuple(dict.fromkeys(one.candidate.fix for one in parts))
            best = Step(path, names, judgement), list(parts)
    return best


def may_help(judgement: Judgement) -> bool:
    """Whether a change may help together with others: results stay, and no time is predicted to rise."""
    if judgement.verdict == "no difference":
        return True
    return judgement.verdict == "cannot tell" and judgement.outputs_agree and (judgement.speedup or 0.0) > 1.0


def _better(judgement: Judgement, best: tuple[Step, list[Verified]] | None) -> bool:
    """Whether a judgement saves more time than the best one so far."""
    if best is None:
        return True
    return _saved(judgement) > _saved(best[0].judgement)


def _saved(judgement: Judgement) -> float:
    return (judgement.before_ms or 0.0) - (judgement.after_ms or 0.0)


def _texts(verification: Verification) -> dict[str, str]:
    return {os.fspath(path): text for path, text in verification.report.texts.items()}
