"""Which fixes can be applied together, and that many findings share the edits of a kernel."""

from __future__ import annotations

import os
import sys
from itertools import product
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from advisor.check.pipeline import check_with_tables
from advisor.fixes.application import chosen, edited, edits_by_path
from advisor.fixes.taken_edits import TakenEdits
from advisor.model.findings import Edit, Finding, Fix
from advisor.model.settings.check_options import CheckOptions
from advisor.model.text.source_text import Span

PLACES = st.tuples(st.integers(0, 20), st.sampled_from([0, 0, 1, 2, 9])).map(
    lambda one: (one[0], one[0] + one[1])
)
EDITS = st.builds(
    lambda place, text, path: Edit(*place, text, path),
    PLACES,
    st.sampled_from(["", "x", "y"]),
    st.sampled_from(["", "a.py", "b.py"]),
)


def touch(one: Edit, other: Edit) -> bool:
    """Whether different edits of one file overlap; what is put in may not even meet an end of another."""
    if (one.start, one.end, one.text) == (other.start, other.end, other.text):
        return False
    if one.start == one.end or other.start == other.end:
        return one.start <= other.end and other.start <= one.end
    return one.start < other.end and other.start < one.end


@given(st.lists(st.lists(EDITS, max_size=4).map(tuple), max_size=8), st.data())
def test_a_fix_is_refused_where_one_of_its_edits_touches_another_fix(
    fixes: list[tuple[Edit, ...]], data: st.DataObject
) -> None:
    taken, found = TakenEdits(), list[tuple[Edit, str]]()
    for edits in fixes + data.draw(st.permutations(fixes)):
        own = [(edit, edit.path or "a.py") for edit in edits]
        free = not any(path == other and touch(one, two) for (one, path), (two, other) in product(own, found))
        assert taken.take(edits, "a.py") is free
        found += own if free else []


def test_edits_that_end_where_others_begin_do_not_touch() -> None:
    taken = TakenEdits()
    assert taken.take((Edit(0, 4, "a"),), "k.py") and taken.take((Edit(4, 8, "b"),), "k.py")


def test_an_insertion_where_an_edit_ends_touches_it() -> None:
    taken = TakenEdits()
    assert taken.take((Edit(0, 4, "a"),), "k.py") and not taken.take((Edit(4, 4, "b"),), "k.py")


def test_the_same_place_of_another_file_is_free() -> None:
    taken = TakenEdits()
    assert taken.take((Edit(0, 4, "a"),), "k.py") and taken.take((Edit(0, 4, "b"),), "l.py")


@given(st.text(max_size=12), st.data())
def test_edits_are_put_in_at_once_as_one_after_the_other(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    edits = [
        Edit(start, end, data.draw(st.sampled_from(["", "+", "++"])))
        for start, end in zip(cuts[::2], cuts[1::2], strict=False)
    ]
    expected = text
    for edit in sorted(edits, reverse=True):
        expected = expected[: edit.start] + edit.text + expected[edit.end :]
    assert edited(text, edits) == expected


def findings_of_one_kernel(count: int) -> list[Finding]:
    """A finding in each line of a kernel; one fix edits all these lines."""
    fix = Fix("Do it", "safe", "it", "always", tuple(Edit(10 * at, 10 * at + 4, "x") for at in range(count)))
    return [
        Finding("rule", "k.py", Span(at + 1, 1, at + 1, 5), "k", "warning", "high", "m", fixes=(fix,))
        for at in range(count)
    ]


def test_all_findings_are_fixed_by_the_edits_that_they_share() -> None:
    pairs = chosen(findings_of_one_kernel(3), ["safe"])
    assert len(pairs) == 3
    assert [edit.start for edit in edits_by_path(pairs)["k.py"]] == [0, 10, 20]


def test_choosing_among_shared_edits_grows_with_the_findings() -> None:
    def calls(count: int) -> int:
        findings, found = findings_of_one_kernel(count), 0

        def count_calls(*_: object) -> None:
            nonlocal found
            found += 1

        sys.setprofile(count_calls)
        try:
            edits_by_path(chosen(findings, ["safe"]))
        finally:
            sys.setprofile(None)
        return found

    # Ten times the findings have ten times the edits each.
    assert calls(1000) < 12 * calls(100)


KERNEL = """\
from numba import cuda


@cuda.jit
def k(a, out):
    i = cuda.grid(1)
    out[i] = 1.0
    out[i] = a[i]


def main(a, out):
    k[4, 256](a, out)
"""


def test_findings_that_the_same_edits_fix_share_them(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(KERNEL)
    options = CheckOptions(
        device="a100-80gb",
        root=tmp_path,
        evidence="source",
        select=("unchecked-index",),
        cache_folder=tmp_path,
    )
    # A file that changes while it is read has no report that is kept.
    os.utime(file, (1e9, 1e9))
    first, second = check_with_tables([file], options), check_with_tables([file], options)
    assert second.tables is None and second.report.findings == first.report.findings
    for checked in (first, second):
        fixes = [
            fix for finding in checked.report.findings for fix in finding.fixes if fix.id == "bounds-check"
        ]
        # Both stores are places of one finding, whose fix guards them together.
        assert len(fixes) == 1
        assert edited(KERNEL, fixes[0].edits) == KERNEL.replace(
            "    out[i] = 1.0\n    out[i] = a[i]\n",
            "    if i < out.shape[0]:\n        out[i] = 1.0\n        out[i] = a[i]\n",
        )
