"""The rulebooks that open rule files are part of, kept up to date with what is typed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from advisor.model.storage.cache import user_cache_folder
from advisor.model.storage.file_stamp import FileStamp
from advisor.rules.lint.asked import Reached
from advisor.rules.loading.load import file_content
from advisor.rules.loading.packs import rule_files
from advisor.rules.loading.reload import LiveRulebook
from advisor.rules.model import Rulebook
from advisor.rules.testing.coverage import RuleCoverage
from lsp_server.rule_files.documents import RuleDocument, with_newlines
from lsp_server.rule_files.folders import folders_around, place_in

_KEPT = 2


@dataclass
class OpenBook:
    """A rulebook in which the texts of open documents stand for their files.

    `reached` keeps what lint found out of single rules, `covered` what their examples and mutants gave.
    """

    folders: tuple[Path, ...]
    live: LiveRulebook
    stamps: dict[Path, FileStamp]
    typed: dict[Path, str] = field(default_factory=dict)
    reached: dict[int, Reached] = field(default_factory=dict)
    covered: dict[int, RuleCoverage] = field(default_factory=dict)

    @property
    def book(self) -> Rulebook:
        """The rulebook as it is now."""
        return self.live.rulebook

    def holds(self, file: Path) -> bool:
        """Whether a file is part of it."""
        return place_in(file, self.folders) is not None

    def name_of(self, file: Path) -> str:
        """What errors and rules call a file, "" for one that is no part of it."""
        place = place_in(file, self.folders)
        return next((path for known, path, _ in self.live.files if place and known == place[1]), "")

    def take(self, documents: Sequence[RuleDocument]) -> None:
        """Put the texts of open documents in the place of their files, and of no others."""
        typed = {
            place[1]: one.content
            for one in documents
            if (place := place_in(one.file, self.folders)) is not None
        }
        for file in [one for one in self.typed if one not in typed]:
            self.live.edit(file, _on_disk(file))
        for file, text in typed.items():
            if self.typed.get(file) != text:
                self.live.edit(file, text)
        self.typed = typed

    def look_at_disk(self) -> None:
        """Read what has changed on the disk, but for files that are open."""
        found = _stamps(self.folders)
        for file in {*found, *self.stamps}:
            if found.get(file) != self.stamps.get(file) and file not in self.typed:
                self.live.edit(file, _on_disk(file))
        self.stamps = found

    def texts(self) -> Iterator[tuple[Path, str]]:
        """Every file that can be read, with its present text."""
        for file, _, data in self.live.files:
            if isinstance(data, bytes):
                yield file, decoded(data)

    def variables(self) -> Mapping[str, Mapping[str, str]]:
        """The variables of each rule and their entities."""
        return {rule.id: dict(rule.variables) for rule in self.book.rules}


class RuleBooks:
    """The rulebooks of all open documents; used by one thread at a time."""

    def __init__(self) -> None:
        self._books: dict[tuple[Path, ...], OpenBook] = {}
        self._folders: dict[tuple[Path, Path], tuple[Path, ...]] = {}

    def of(self, document: RuleDocument, documents: Sequence[RuleDocument]) -> OpenBook:
        """The rulebook that a document is part of, with the texts of all open documents."""
        key = (document.file, document.top)
        folders = self._folders.get(key)
        if folders is None:
            folders = self._folders[key] = folders_around(*key)
        found = self._books.get(folders)
        if found is None:
            stamps = _stamps(folders)
            live = LiveRulebook(folders, user_cache_folder())
            found = self._books[folders] = OpenBook(folders, live, stamps)
        found.take(documents)
        return found

    def look_at_disk(self) -> None:
        """Follow what has changed on the disk: rule files, and which folders belong together."""
        self._folders = {}
        for book in self._books.values():
            book.look_at_disk()

    def keep_only(self, documents: Sequence[RuleDocument]) -> None:
        """Let go of rulebooks that no open document is part of, but for the last few."""
        unused = [
            folders
            for folders, book in self._books.items()
            if not any(book.holds(one.file) for one in documents)
        ]
        for folders in unused[:-_KEPT]:
            del self._books[folders]
        for folders in unused[-_KEPT:]:
            self._books[folders].take(documents)


@lru_cache(2_000)
def decoded(data: bytes) -> str:
    """The text of a file, with the line ends of an editor as newlines."""
    return with_newlines(data.decode("utf-8", "replace"))


def _stamps(folders: Sequence[Path]) -> dict[Path, FileStamp]:
    files = (file for folder in folders for file in rule_files(folder))
    return {file: stamp for file in files if (stamp := FileStamp.of(file)) is not None}


def _on_disk(file: Path) -> bytes | None:
    content = file_content(file) if file.is_file() else None
    return content if isinstance(content, bytes) else None
