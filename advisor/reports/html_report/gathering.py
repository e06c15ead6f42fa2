"""What the page is made from, out of rankings and the history."""

from __future__ import annotations

import time
from collections.abc import Sequence

from advisor.model.history.store import HistoryStore
from advisor.model.settings.check_options import CheckOptions
from advisor.reports.html_report.amounts import amounts
from advisor.reports.html_report.material import Material
from advisor.reports.rule_pages.catalogue import load_catalogue
from advisor.runs.comparison.differences import Difference
from advisor.runs.comparison.ranking.ranking import Ranking


def gather(
    rankings: Sequence[Ranking],
    store: HistoryStore,
    options: CheckOptions,
    notices: Sequence[str] = (),
    differences: Sequence[Difference] = (),
) -> Material:
    """The material for `report_html`: rankings with their remedies, what changed, and the history's times and
    runs.
    """
    return Material(
        rankings=rankings,
        times=store.times(most=amounts().times),
        runs=store.runs(most=amounts().runs),
        rules=load_catalogue(options.settings),
        made=time.time(),
        project=options.settings.root.resolve().name,
        notices=notices,
        differences=differences,
    )
