"""What the page is made from, out of rankings and the history."""

from __future__ import annotations

import time
from collections.abc import Sequence

from advisor.check_options import CheckOptions
from advisor.comparing.ranking import Ranking
from advisor.history.store import HistoryStore
from advisor.pages.catalogue import load_catalogue
from advisor.report_page.amounts import amounts
from advisor.report_page.material import Material
from advisor.report_page.remedies import with_remedies


def gather(
    rankings: Sequence[Ranking], store: HistoryStore, options: CheckOptions, notices: Sequence[str] = ()
) -> Material:
    """The material for `report_html`: rankings with fixes and proofs, and the history's times and runs."""
    return Material(
        rankings=with_remedies(rankings, options),
        times=store.times(),
        runs=store.runs(most=amounts().runs),
        rules=load_catalogue(options.settings),
        made=time.time(),
        project=options.settings.root.resolve().name,
        notices=notices,
    )
