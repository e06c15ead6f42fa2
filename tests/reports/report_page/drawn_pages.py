"""The page of a project's history, as the command makes it, at a fixed time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from advisor.model.history.fingerprint import Run
from advisor.model.history.store import HistoryStore
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import load_config
from advisor.reports.html_report.amounts import amounts
from advisor.reports.html_report.gathering import gather
from advisor.reports.html_report.page import report_html
from advisor.runs.comparison.ranking.ranking import rankings
from advisor.runs.comparison.ranking.remedies import with_remedies
from advisor.runs.comparison.since_earlier import since_run_before

MADE = 1_762_000_000.0


def options_for(root: Path) -> CheckOptions:
    return CheckOptions(
        device="a100-40gb", root=root, evidence="measured", no_run=True, settings=load_config(root)
    )


def html_of(root: Path, runs: Sequence[Run] | None = None) -> str:
    """The page of a project's history, or of these runs of it."""
    options = options_for(root)
    store = HistoryStore(root)
    try:
        found = rankings(store.latest() if runs is None else runs, options)
        changed = since_run_before(found, store, options, amounts().compared_runs)
        material = gather(with_remedies(found, options), store, options, differences=changed)
        return report_html(replace(material, made=MADE))
    finally:
        store.close()
