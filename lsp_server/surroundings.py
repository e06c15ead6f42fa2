"""The other files that may launch a document's kernels, kept from one keystroke to the next."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from advisor.facts.gate import launched_names, may_hold_device_code
from advisor.neighbours import workspace_files
from lsp_server.documents import Document

_Stamp = tuple[int, int]


class Surroundings:
    """The files around documents that speak of kernels; looked for again after `forget`.

    A file that is known to speak of kernels is read anew by every analysis. Only that another file has begun
    to, or is new, stays unseen until `forget`.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[Path, Path], tuple[Path, ...]] = {}
        self._verdicts: dict[Path, tuple[_Stamp, bool]] = {}

    def of(self, document: Document) -> tuple[Path, ...]:
        """The files around `document`; for one outside the workspace those of its own folder."""
        key = (document.file, document.root)
        kept = self._kept.get(key)
        if kept is None:
            kept = tuple(file for file in _around(document) if self._speaks_of_kernels(file))
            self._kept[key] = kept
        return kept

    def forget(self) -> None:
        """Makes the next question look at the file system; may be called from another thread."""
        self._kept = {}

    def _speaks_of_kernels(self, file: Path) -> bool:
        try:
            found = file.stat()
            stamp = (found.st_mtime_ns, found.st_size)
            known = self._verdicts.get(file)
            if known is None or known[0] != stamp:
                known = (stamp, concerns_kernels(file.read_bytes()))
                self._verdicts[file] = known
        except OSError:
            return False
        return known[1]


def concerns_kernels(data: bytes) -> bool:
    """Whether a file's bytes may define a kernel or launch one."""
    return may_hold_device_code(data) or bool(launched_names(data))


def _around(document: Document) -> Iterable[Path]:
    if not document.file.parent.is_dir():
        return ()
    # Of a file outside the workspace nobody said that the folders below it belong together.
    if document.alone:
        return sorted(document.file.parent.glob("*.py"))
    return workspace_files([document.file], document.root)
