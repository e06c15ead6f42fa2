"""Findings of kernels whose launches differ, from numbers that are given: who shows it, who decides."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from advisor.check.launches.different_launches import DifferentLaunches
from advisor.check.rulebook import rulebook_for
from advisor.check.typings import tables_of
from advisor.evidence.metrics.joining import join
from advisor.evidence.simulated.launches.evidence import DifferentLaunch, LaunchEvidence
from advisor.model.devices import find_device
from advisor.model.findings import Finding, ShowingLaunches
from advisor.model.records import LineReading, Record
from advisor.model.settings.config import Config
from advisor.model.text.source_text import Span
from advisor.rules import RuleSettings, judge, to_finding

DEVICE = find_device("a100-80gb")
RUN = Record("run", "run 1", "main.py", Span(1), "main.py")
RUN.know("measured", gpu_utilization=0.1, active_kernels=1.0)
KERNEL = "k.py::k@1"
RULE = "uncoalesced-access"
SOURCE = [
    Record("kernel", KERNEL, "k.py", Span(1), "k"),
    Record("access", f"{KERNEL} a", "k.py", Span(3), "a", KERNEL),
]
SOURCE[1].know("source", array="a", space="global", kind="load", single_thread=False, itemsize=4)


def launch(sectors: float, seconds: float | None, launches: int = 1) -> DifferentLaunch:
    """A launch whose warps touch so many sectors in line 3, where 4 would do."""
    record = Record("kernel", KERNEL, "k.py", Span(1), "k")
    record.know("simulated", ("Simulated.",), launches=5.0, grid_blocks=100.0)
    values = {"requests": 100.0, "sectors_per_request": sectors, "ideal_sectors_per_request": 4.0}
    line = LineReading("access", KERNEL, "k.py", 3, "a", "global", "load", dict(values), ("Simulated.",))
    return DifferentLaunch(launches, seconds, record, [line], True)


def told(*launches: DifferentLaunch, rule: str = RULE) -> list[Finding]:
    """The findings of a rule where a kernel is judged by the first of its launches."""
    rulebook, settings = rulebook_for(Config()), RuleSettings(select=(rule,))
    one = launches[0]
    evidence = LaunchEvidence(types={KERNEL: ()}, different={KERNEL: lambda: list(launches)})
    records = [*SOURCE, DEVICE.record(), RUN]
    tables = tables_of(
        [*records, one.record, *join([*SOURCE], one.lines, "simulated")], DEVICE, rulebook, {"access"}
    )
    matches = judge(rulebook, tables, settings=settings).matches
    findings = [to_finding(match, rulebook, tables) for match in matches]
    again = DifferentLaunches.of(records, [evidence], {"access"}).judge_again(rulebook, settings, DEVICE)
    return list(again.findings(matches, findings, tables))


def sectors_told(findings: Sequence[Finding]) -> list[float]:
    return [item.value for one in findings for item in one.evidence if item.metric == "sectors_per_request"]


def test_those_that_show_it_are_counted_with_their_equals_and_weighed_by_their_time():
    (finding,) = told(launch(32, 6.0, launches=2), launch(4, 1.0, launches=3), launch(28, 1.0))
    assert finding.launches == ShowingLaunches(3, 6, 7.0 / 8.0)
    assert finding.assumptions[-1] == "Shown in 3 of 6 launches, 88% of the kernel's predicted time."
    assert sectors_told([finding]) == [32.0]


def test_what_only_short_launches_show_is_not_told():
    assert told(launch(4, 8.0), launch(32, 1.0), launch(32, 1.0)) == []


def test_what_launches_with_a_quarter_of_the_time_show_is_told_with_the_heaviest_ones_numbers():
    (finding,) = told(launch(4, 6.0), launch(24, 0.5), launch(32, 1.5))
    assert finding.launches == ShowingLaunches(2, 3, 0.25)
    assert sectors_told([finding]) == [32.0]
    assert (finding.path, finding.span, finding.kernel) == ("k.py", Span(3), "k")


def test_below_a_quarter_it_is_not():
    assert told(launch(4, 6.1), launch(32, 2.0)) == []


def test_without_times_the_judged_launch_decides_and_only_numbers_are_told():
    assert told(launch(4, None), launch(32, None)) == []
    (finding,) = told(launch(32, None), launch(4, None))
    assert finding.launches == ShowingLaunches(1, 2, None)
    assert finding.assumptions[-1] == "Shown in 1 of 2 launches."


def test_what_is_said_of_a_run_stands_beside_its_kernels_launches():
    (finding,) = told(launch(4, 1.0), launch(32, 1.0), rule="gpu-underused")
    assert finding.launches is None


def test_launches_that_all_show_it_say_so():
    (finding,) = told(launch(32, 1.0), launch(24, 1.0))
    assert finding.assumptions[-1] == "Shown in 2 of 2 launches, 100% of the kernel's predicted time."


@pytest.mark.parametrize(
    ("showing", "of", "share", "words"),
    [
        (1, 2, 0.9999, "over 99%"),
        (2, 2, 1.0, "100%"),
        (1, 1000, 0.004, "under 1%"),
        (999, 1000, 0.97, "97%"),
    ],
)
def test_a_share_is_never_rounded_to_all_or_nothing(showing, of, share, words):
    assert f", {words} of" in ShowingLaunches(showing, of, share).in_words()


def test_a_kernel_of_which_later_evidence_has_one_launch_only_is_left_alone():
    several = LaunchEvidence(types={KERNEL: ()}, different={KERNEL: list})
    later = LaunchEvidence(types={KERNEL: ()})
    assert DifferentLaunches.of(SOURCE, [several, later], ()).kernels == {}
    assert set(DifferentLaunches.of(SOURCE, [later, several], ()).kernels) == {KERNEL}
