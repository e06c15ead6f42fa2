"""What changed in the runs of rankings since an earlier run: the one before, or one that is named."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.model.errors import UsageError
from advisor.model.history.fingerprint import Run
from advisor.model.history.store import HistoryStore
from advisor.model.settings.check_options import CheckOptions
from advisor.runs.comparison.differences import Difference, difference
from advisor.runs.comparison.judged_runs import source_of
from advisor.runs.comparison.ranking.ranking import Ranking


def since_run_before(
    found: Sequence[Ranking], store: HistoryStore, options: CheckOptions, most: int
) -> list[Difference]:
    """Of each ranking's latest `most` runs those that have a run before, each compared with it."""
    pairs = []
    for ranking in found:
        for run in ranking.runs[:most]:
            before = None if run.id is None else store.run_before(run, ranking.source)
            if run.id is not None and before is not None and (before, run.id) not in pairs:
                pairs.append((before, run.id))
    return [difference(store.run(before), store.run(after), options) for before, after in pairs]


def since_run(
    before: Run, found: Sequence[Ranking], store: HistoryStore, options: CheckOptions, most: int
) -> list[Difference]:
    """The latest `most` runs of the rankings with a kernel of `before`, each compared with it.

    Those of its device and source come alone where there are some. Raises UsageError where none has a kernel
    of it, or only `before` itself has.
    """
    names = {one.identity.name for one in before.fingerprints}
    own = (before.facts.device, source_of(before))
    alike: list[Run] = []
    others: list[Run] = []
    for ranking in found:
        for run in ranking.runs:
            if run.id is None or run.id == before.id:
                continue
            whole = store.run(run.id)
            if names & {one.identity.name for one in whole.fingerprints}:
                (alike if (whole.facts.device, source_of(whole)) == own else others).append(whole)
    chosen = list({run.id: run for run in alike or others}.values())[:most]
    if not chosen:
        raise UsageError("--since: no other run of this report has a kernel of that run.")
    return [difference(before, after, options) for after in chosen]
