"""Which kernel of one run is which of another."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from kept_history import fingerprint

from advisor.runs.comparison.pairs import paired


def told(before: list[object], after: list[object]) -> list[tuple[int, int]]:
    pairs = paired(before, after)  # type: ignore[arg-type]
    where = [id(one) for one in before], [id(one) for one in after]
    return [(where[0].index(id(first)), where[1].index(id(second))) for first, second in pairs.both]


def test_by_name_and_path() -> None:
    assert told([fingerprint("a"), fingerprint("b")], [fingerprint("b"), fingerprint("a")]) == [
        (1, 0),
        (0, 1),
    ]


def test_the_same_launch_before_another() -> None:
    before = [fingerprint(grid=10), fingerprint(grid=20)]
    assert told(before, [fingerprint(grid=20), fingerprint(grid=10)]) == [(1, 0), (0, 1)]


def test_a_changed_launch_is_still_the_kernel() -> None:
    assert told([fingerprint(grid=24)], [fingerprint(grid=1536)]) == [(0, 0)]


def test_of_changed_launches_the_longest_with_the_longest() -> None:
    before = [fingerprint(grid=1, samples=(1.0,)), fingerprint(grid=2, samples=(5.0,))]
    after = [fingerprint(grid=3, samples=(4.0,)), fingerprint(grid=4, samples=(0.5,))]
    assert told(before, after) == [(1, 0), (0, 1)]


def test_a_kernel_that_moved_to_another_file() -> None:
    assert told([fingerprint(path="old.py")], [fingerprint(path="new.py")]) == [(0, 0)]


def test_a_report_that_knows_no_path() -> None:
    assert told([fingerprint(path=None)], [fingerprint()]) == [(0, 0)]


def test_ranges_tell_alike_launches_apart() -> None:
    one, other = fingerprint(), fingerprint()
    first, second = replace(one, ranges=("train",)), replace(other, ranges=("test",))
    assert told([first, second], [replace(second), replace(first)]) == [(1, 0), (0, 1)]


def test_new_and_gone() -> None:
    pairs = paired([fingerprint("a"), fingerprint("old")], [fingerprint("a"), fingerprint("new")])
    assert [one.identity.name for one in pairs.gone] == ["old"]
    assert [one.identity.name for one in pairs.new] == ["new"]


_THOSE = st.lists(
    st.builds(
        fingerprint,
        st.sampled_from(["a", "b"]),
        path=st.sampled_from(["x.py", "y.py", None]),
        grid=st.integers(1, 3),
    ),
    max_size=6,
)


@given(_THOSE, _THOSE)
def test_each_is_in_one_place(before: list[object], after: list[object]) -> None:
    pairs = paired(before, after)  # type: ignore[arg-type]
    first = [id(one) for one, _ in pairs.both] + [id(one) for one in pairs.gone]
    second = [id(one) for _, one in pairs.both] + [id(one) for one in pairs.new]
    assert sorted(first) == sorted(map(id, before))
    assert sorted(second) == sorted(map(id, after))
    assert not {one.identity.name for one in pairs.gone} & {one.identity.name for one in pairs.new}
