"""The other files that may launch a document's kernels, kept from one keystroke to the next."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from advisor.model.settings.workspace_files import workspace_files
from advisor.model.storage.file_stamp import FileStamp
from advisor.model.storage.memo import Memo
from advisor.program.syntax.gate import (
    launched_names,
    may_hold_array_code,
    may_hold_cuda_texts,
    may_hold_device_code,
    may_hold_triton_code,
)
from lsp_server.documents.document import Document

_WORD = re.compile(rb"\w+")
_DEFINED = re.compile(rb"\bdef\s+(\w+)|^[ \t]*(\w+)[ \t]*=[^\n]*\bjit\b", re.MULTILINE)
_Words = frozenset[bytes]


class WorkspaceFiles:
    """The files around documents that speak of kernels; looked for again after `forget`.

    The content of a file that was found to matter is read again by every analysis. Only that another file has
    begun to matter stays unseen until `forget`.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[Path, Path], dict[Path, _Words]] = {}
        self._words = Memo[Path, _Words]()

    def of(self, document: Document) -> tuple[Path, ...]:
        """The files around `document` that name a kernel it defines or launches, sorted.

        A text without kernels and launches has none, and around a file outside the workspace lie those of its
        own folder. To parse all files that hold kernels would cost more than all the rest: what does not even
        name the document's kernels cannot launch them.
        """
        data = document.text.encode(errors="replace")
        if not concerns_kernels(data):
            return ()
        key = (document.file, document.root)
        kept = self._kept.get(key)
        if kept is None:
            kept = {file: words for file in _around(document) if (words := self._words_of(file))}
            self._kept[key] = kept
        names = kernel_names(data) if kept else frozenset()
        return tuple(file for file, words in kept.items() if not words.isdisjoint(names))

    def forget(self) -> None:
        """Make the next question look at the file system; may be called from another thread."""
        self._kept = {}

    def _words_of(self, file: Path) -> _Words:
        """The words of a file that concerns kernels, none of any other."""
        try:
            return self._words.value(file, FileStamp.of(file), lambda: _words_in(file.read_bytes()))
        except OSError:
            return frozenset()


def _words_in(data: bytes) -> _Words:
    return frozenset(_WORD.findall(data)) if concerns_kernels(data) else frozenset()


def concerns_gpu(document: Document) -> bool:
    """Whether a check of the document's file would parse it: for kernels, or for what it does with a GPU."""
    from advisor.evidence.source.test_paths import is_test_path

    data = document.text.encode(errors="replace")
    is_test = is_test_path(f"/{document.path}")
    return concerns_kernels(data) or may_hold_cuda_texts(data) or may_hold_array_code(data, is_test=is_test)


def concerns_kernels(data: bytes) -> bool:
    """Whether a file's bytes may define a kernel or launch one."""
    return may_hold_device_code(data) or may_hold_triton_code(data) or bool(launched_names(data))


def concerns_runs(document: Document) -> bool:
    """Whether compiled code or recorded runs may say more of a text than its source does."""
    data = document.text.encode(errors="replace")
    return concerns_kernels(data) or (b"cupy" in data and concerns_gpu(document))


def kernel_names(data: bytes) -> _Words:
    """The names under which the kernels that a text defines or launches may be known elsewhere."""
    defined = {name for names in _DEFINED.findall(data) for name in names if name}
    return frozenset(defined | {name.encode() for name in launched_names(data)})


def _around(document: Document) -> Iterable[Path]:
    if not os.path.isdir(document.file.parent):  # noqa: PTH112 - also of a name that no file system takes
        return ()
    # Of a file outside the workspace nobody said that the folders below it belong together.
    if document.alone:
        return sorted(document.file.parent.glob("*.py"))
    return workspace_files([document.file], document.root)
