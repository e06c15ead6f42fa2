"""A rulebook whose files are being edited: only the file that changed is read and checked again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.model.errors import UsageError
from advisor.model.processes.gc_paused import gc_paused
from advisor.rules.checking.assemble import Assembler
from advisor.rules.language.file_reading import ReadFile, checked_packs, packs_of, read_file, read_text
from advisor.rules.language.parse_tables import tables
from advisor.rules.loading.known_files import files_read
from advisor.rules.loading.load import file_content
from advisor.rules.loading.packs import MOST_RULES, is_rule_file, rule_files
from advisor.rules.model import Rulebook

_BROKEN = 'rule a "A" {\n  for each kernel k\n  when k.a >\n  saay "x"\n  severity )\n}\n'


@dataclass(frozen=True, slots=True)
class _Known:
    """A file as it was last read: its folder's place among the folders, its bytes, what it declares."""

    place: int
    file: Path
    data: bytes | str
    read: ReadFile

    @property
    def order(self) -> tuple[int, Path]:
        """What files are ordered by."""
        return self.place, self.file


class LiveRulebook:
    """The rulebook of folders while their files change, always as `load_rulebook` would give it.

    What has an error is left out of `rulebook`, which then has the errors. `cache_folder` must be the user's
    own: the grammar's tables are kept there, and what the shipped files declare.
    """

    def __init__(self, folders: Sequence[Path], cache_folder: Path | None = None) -> None:
        self._folders = tuple(folders)
        self._assembler = Assembler()
        with gc_paused():
            tables(cache_folder)
            # A text that is being written is broken at times; Lark, which tells where, is slow only at first.
            read_text("", _BROKEN)
            places = [
                (place, folder, file)
                for place, folder in enumerate(self._folders)
                for file in rule_files(folder)
            ]
            files = [(folder, file, file_content(file)) for _, folder, file in places]
            self._known = [
                _Known(place, file, data, read)
                for (place, _, _), (_, file, data), read in zip(
                    places, files, files_read(files, cache_folder), strict=True
                )
            ]
            self.rulebook = self._assembled()

    @property
    def files(self) -> Iterator[tuple[Path, str, bytes | str]]:
        """Each file with what errors call it and its bytes; a text for them says why there are none."""
        return ((one.file, one.read.content.path, one.data) for one in self._known)

    def edit(self, file: Path, text: str | bytes | None) -> Rulebook:
        """The rulebook with the content of one file replaced; None for a file that is gone.

        A file that was not there is added where a full load would have it. Its text may differ from that on
        the disk, which is not looked at. Raises UsageError for a file that is in none of the folders.
        """
        places = [place for place, folder in enumerate(self._folders) if file.is_relative_to(folder)]
        if not places or not is_rule_file(file.name):
            raise UsageError(f"{file}: this is no `*.rules` file in a folder of the rulebook.")
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        with gc_paused():
            changes = [self._replace(place, file, data) for place in places]
            if any(changes):
                self.rulebook = self._assembled()
        return self.rulebook

    def _replace(self, place: int, file: Path, data: bytes | None) -> bool:
        """Whether the content of a file in one of the folders changed by being replaced."""
        at = bisect_left(self._known, (place, file), key=lambda one: one.order)
        known = self._known[at] if at < len(self._known) else None
        there = known is not None and known.order == (place, file)
        if data is None:
            del self._known[at : at + there]
            return there
        if there and known is not None and known.data == data:
            return False
        read = read_file(self._folders[place], file, data)
        self._known[at : at + there] = [_Known(place, file, data, read)]
        return True

    def _assembled(self) -> Rulebook:
        read = [one.read for one in self._known]
        book = self._assembler.assemble(checked_packs(read, MOST_RULES))
        return replace(book, packs=packs_of(read))
