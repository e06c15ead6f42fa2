"""The edits of the fixes that were chosen so far, by place: a further fix must not touch them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from advisor.model.findings import Edit


class TakenEdits:
    """Edits of fixes that do not touch each other, in all files.

    What a further edit touches is looked up by its place. Edits that several findings share are looked up
    once: nothing that was taken since touches them, but they may touch each other.
    """

    def __init__(self) -> None:
        self._files: dict[str, _FileEdits] = {}
        # With the edits, since no others have their identity while they are there.
        self._known: dict[tuple[int, str], tuple[Sequence[Edit], bool]] = {}

    def take(self, edits: Sequence[Edit], path: str) -> bool:
        """Add the edits of a fix for a finding in `path`; False for those that touch one taken before."""
        key = id(edits), path
        if key in self._known:
            return self._known[key][1]
        touches = self._touch(edits, path)
        if not touches:
            for edit in edits:
                self._file(edit, path).add(edit)
        # Once more they meet themselves beside the others.
        self._known[key] = edits, not (touches or self._touch(edits, path))
        return not touches

    def _touch(self, edits: Sequence[Edit], path: str) -> bool:
        return any(self._file(edit, path).touches(edit) for edit in edits)

    def _file(self, edit: Edit, path: str) -> _FileEdits:
        return self._files.setdefault(edit.path or path, _FileEdits())


class _FileEdits:
    """The edits of one file in order of their places."""

    def __init__(self) -> None:
        self._places: list[tuple[int, int, str]] = []
        self._longest = 0

    def add(self, edit: Edit) -> None:
        place = edit.start, edit.end, edit.text
        at = bisect_left(self._places, place)
        if self._places[at : at + 1] != [place]:
            self._places.insert(at, place)
            self._longest = max(self._longest, edit.end - edit.start)

    def touches(self, edit: Edit) -> bool:
        """Whether another edit concerns the same place; the same insertion twice is one."""
        place = edit.start, edit.end, edit.text
        return any(other != place and _meet(place, other) for other in self._around(edit))

    def _around(self, edit: Edit) -> Iterator[tuple[int, int, str]]:
        first = bisect_left(self._places, (edit.start - self._longest, -1, ""))
        last = bisect_right(self._places, (edit.end + 1, -1, ""))
        return (self._places[at] for at in range(first, last))


def _meet(one: tuple[int, int, str], other: tuple[int, int, str]) -> bool:
    if one[0] == one[1] or other[0] == other[1]:
        return one[0] <= other[1] and other[0] <= one[1]
    return one[0] < other[1] and other[0] < one[1]
