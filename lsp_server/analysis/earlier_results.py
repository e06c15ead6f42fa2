"""The last analyses of each document that rest on more than its source, for the time after an edit."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lsp_server.analysis.checked_text import Analysis

_MOST = 4


@dataclass(frozen=True)
class _Kept:
    """An analysis; `whole` when every kernel of its text was looked at."""

    analysis: Analysis
    whole: bool

    def runs(self) -> set[str]:
        """The kernels of its own file whose numbers are also those of a run."""
        kernels = self.analysis.tables.get("kernel")
        launches = kernels.columns.get("launches") if kernels is not None else None
        if kernels is None or launches is None:
            return set()
        return {
            label
            for number, (label, path) in enumerate(zip(kernels.labels, kernels.paths, strict=True))
            if path == self.analysis.document.path and launches.source(number) is not None
        }


class Measured:
    """What was compiled and run of earlier texts: the least that still tells all that was known.

    Of a document these are the latest analysis, the latest that looked at every kernel, and the latest that
    knew of a run of some kernel: a run counts for the text of a kernel as it was then.
    """

    def __init__(self) -> None:
        self._kept: dict[str, list[_Kept]] = {}

    def take(self, analysis: Analysis, whole: bool) -> None:
        """Keep an analysis; `whole` when every kernel of its text was looked at."""
        uri = analysis.document.uri
        new = _Kept(replace(analysis, former=None), whole)
        self._kept[uri] = _needed([new, *self._earlier(analysis)])

    def before(self, analysis: Analysis) -> Analysis | None:
        """What was known of earlier texts of the document: each text's analysis is the newer's `former`."""
        former = None
        for one in reversed(self._earlier(analysis)):
            former = replace(one.analysis, former=former)
        return former

    def forget(self, uri: str | None = None) -> None:
        """Drop what is kept of a document, or of all."""
        if uri is None:
            self._kept.clear()
        else:
            self._kept.pop(uri, None)

    def _earlier(self, analysis: Analysis) -> list[_Kept]:
        kept = self._kept.get(analysis.document.uri, [])
        return [one for one in kept if one.analysis.document != analysis.document]


def _needed(kept: list[_Kept]) -> list[_Kept]:
    """Those of which something is told that no newer one tells; from the newest to the oldest."""
    needed: list[_Kept] = []
    for one in kept:
        known = set[str]().union(*(newer.runs() for newer in needed))
        first_whole = one.whole and not any(newer.whole for newer in needed)
        if not needed or first_whole or one.runs() - known:
            needed.append(one)
    return needed[:_MOST]
