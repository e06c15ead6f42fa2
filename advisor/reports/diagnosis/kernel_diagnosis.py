"""The diagnosis of one kernel from all that is known of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.check.pipeline import check_with_tables
from advisor.check.rule_selection import settings_with_todays_names
from advisor.check.rulebook import rulebook_for
from advisor.check.speedup_bounds.actions import Action, ranked_actions
from advisor.check.speedup_bounds.bound import Boundness, boundness, record_of
from advisor.check.speedup_bounds.shares import time_shares
from advisor.check.speedup_bounds.tree import diagnosis_tree
from advisor.evidence.metrics.tables import Tables, kernel_tables
from advisor.evidence.simulated.synthesis.result import Synthesis
from advisor.model.devices import Device, find_device
from advisor.model.errors import UsageError
from advisor.model.findings import RemedyOrder
from advisor.model.records import Record
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.selectors import suggestion
from advisor.reports.diagnosis.answers import Answer, Judged, concerning
from advisor.reports.diagnosis.made_up_launches import element_time_in_words
from advisor.rules.settings import RuleSettings


@dataclass(frozen=True)
class KernelDiagnosis:
    """What a kernel waits for, the answers in the questions' order, the actions, and what all rests on.

    `element_time` is a sentence where launches were made up, else empty; `order` has the remedies of which
    several gain something, one after the other.
    """

    kernel: Record
    device: Device
    bound: Boundness
    answers: tuple[Answer, ...]
    actions: tuple[Action, ...]
    assumptions: tuple[str, ...]
    notices: tuple[str, ...]
    share_of_run: float | None
    synthesis: Synthesis | None = None
    element_time: str = ""
    order: RemedyOrder | None = None

    @property
    def overhead(self) -> bool:
        """Whether a launch takes less time than the host needs to start it."""
        time = self.bound.time_ms
        return time is not None and time < diagnosis_tree().launch_ms


def diagnose(path: Path, name: str, options: CheckOptions) -> KernelDiagnosis:
    """The diagnosis of a kernel of a file; of the only one where `name` is empty.

    Raises UsageError where there is no such kernel.
    """
    # A report that was kept has no tables.
    kept = None if options.evidence == "source" else options.cache_folder
    checked = check_with_tables([path], replace(options, cache_folder=kept, proofs=True, fixes=True))
    tables = checked.tables or {}
    kernel = _kernel(tables, path, name, options)
    device = find_device(options.device)
    bound = boundness(kernel, device)
    findings = concerning(checked.report.findings, kernel.path, kernel.label)
    rulebook = rulebook_for(options.settings)
    todays, _ = settings_with_todays_names(options.settings, rulebook)
    settings = RuleSettings.of_project(todays, device.id, options.root)
    judged = Judged(rulebook, tables, kernel, findings, settings)
    tree = diagnosis_tree()
    shares = time_shares(tables)
    return KernelDiagnosis(
        kernel=kernel,
        device=device,
        bound=bound,
        answers=tuple(judged.answers(tree.questions_for(bound.found))),
        actions=tuple(ranked_actions(findings, shares, lambda one: bound.headroom_for(one.rule))),
        assumptions=_assumptions(kernel),
        notices=tuple(checked.report.notices),
        share_of_run=shares.get(kernel.label),
        synthesis=checked.syntheses.get(kernel.key),
        element_time=element_time_in_words(tables, kernel.key, device),
        order=next(
            (one for one in checked.report.orders if (one.kernel, one.path) == (kernel.label, kernel.path)),
            None,
        ),
    )


def _kernel(tables: Tables, path: Path, name: str, options: CheckOptions) -> Record:
    own = path.resolve()
    rows = [
        (table, row)
        for table in kernel_tables(tables)
        for row, shown in enumerate(table.paths)
        if (options.root / shown).resolve() == own
    ]
    if not rows:
        raise UsageError(f"there is no kernel in `{path}`.")
    labels = [table.labels[row] for table, row in rows]
    chosen = [one for one, label in zip(rows, labels, strict=True) if not name or label == name]
    if not chosen:
        hint = suggestion(name, labels)
        raise UsageError(f"there is no kernel `{name}` in `{path}`.{hint} There are {', '.join(labels)}.")
    if len(chosen) > 1:
        raise UsageError(
            f"`{path}` has several kernels; write {path}::{labels[0]}, or {', '.join(labels[1:])}."
        )
    return record_of(*chosen[0])


def _assumptions(kernel: Record) -> tuple[str, ...]:
    used: Sequence[str] = [text for reading in kernel.readings.values() for text in reading.assumptions]
    return tuple(dict.fromkeys(used))
