"""What files said when they were last surveyed, kept while neither they nor what they import have changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Generic, TypeVar

from advisor.evidence.source.survey_crew import Crew
from advisor.evidence.source.surveyor import FileHost, FileKernels, Launched
from advisor.model.text.source_text import SourceText

_Said = TypeVar("_Said")


@dataclass(frozen=True)
class _Kept(Generic[_Said]):
    """What a file said, the content that this rests on, and what it was asked with."""

    stamp: bytes
    way: object
    said: _Said


@dataclass
class _Shelf(Generic[_Said]):
    """One kind of survey by root and file; `used` are those that the survey in progress rests on."""

    kept: dict[tuple[Path, Path], _Kept[_Said]] = field(default_factory=dict)
    used: set[Path] = field(default_factory=set)


class SurveyMemory:
    """The surveys of one command, of files below one root or several; belongs to one thread.

    That a module appears where none was is not noticed by the files that import it. What is kept must not be
    changed by those who get it.
    """

    def __init__(self) -> None:
        self.hosts = _Shelf[FileHost]()
        self.array_code = _Shelf[FileHost]()
        self.kernels = _Shelf[FileKernels]()
        self._imports: dict[str, set[str]] = {}

    def unknown(self, root: Path, files: Iterable[Path]) -> int:
        """How many of the files it has never met."""
        known = self.hosts.kept.keys() | self.array_code.kept.keys()
        return sum((root, file) not in known for file in files)

    def learn(self, imports: Iterable[tuple[str, str]]) -> None:
        """Adds files that were looked into, each after one that imports it."""
        for importer, imported in imports:
            self._imports.setdefault(importer, set()).add(imported)

    def reached(self, files: Iterable[str]) -> set[str]:
        """The files and all that they import, directly or not, as far as was looked into."""
        found: set[str] = set()
        pending = list(files)
        while pending:
            file = pending.pop()
            if file not in found:
                found.add(file)
                pending += self._imports.get(file, ())
        return found


class RememberingCrew:
    """A crew that surveys what its memory does not hold, and puts it there; for one survey."""

    def __init__(self, root: Path, jobs: int, memory: SurveyMemory) -> None:
        self._root, self._memory = root, memory
        self._crew = Crew(root, jobs)
        self._digests: dict[str, bytes] = {}
        self._asked: set[str] = set()

    def close(self) -> None:
        """Ends the workers, and notes what all that was used rests on: more may be known of it by now."""
        self._crew.close()
        self._settle(self._memory.hosts)
        self._settle(self._memory.array_code)
        self._settle(self._memory.kernels)

    def hosts(self, files: list[Path], texts: Mapping[Path, SourceText]) -> list[FileHost]:
        """The host side of each file, as it lies on the disk: there are no texts that stand for files."""
        assert not texts
        return list(self._said(self._memory.hosts, files, lambda those: self._crew.hosts(those, {})))

    def array_code(self, files: list[Path]) -> list[FileHost]:
        """What each file does with torch and cupy."""
        return list(self._said(self._memory.array_code, files, self._crew.array_code))

    def kernels(self, files: list[Path], launched: Launched, with_units: bool) -> Iterable[FileKernels]:
        """The kernels of each file, as they are launched."""
        hosts = self.hosts(files, {})
        ways = {
            file: (with_units, [launched.get(key) for key, _ in host.kernels])
            for file, host in zip(files, hosts, strict=True)
        }
        return self._said(
            self._memory.kernels,
            files,
            lambda those: self._crew.kernels(those, launched, with_units),
            ways,
        )

    def files_read(self) -> frozenset[str]:
        """Every file whose content was used."""
        return frozenset(self._memory.reached(self._asked))

    def _said(
        self,
        shelf: _Shelf[_Said],
        files: Sequence[Path],
        survey: Callable[[list[Path]], Iterable[_Said]],
        ways: Mapping[Path, object] | None = None,
    ) -> Iterator[_Said]:
        """What each file says, in order; of what is new the imports are known when all was taken."""
        ways = ways or {}
        self._asked.update(map(str, files))
        missing = [file for file in files if not self._holds(shelf, file, ways.get(file))]
        lacking = frozenset(missing)
        fresh = iter(survey(missing)) if missing else iter(())
        for file in files:
            if file in lacking:
                shelf.kept[self._root, file] = _Kept(b"", ways.get(file), next(fresh))
            shelf.used.add(file)
            yield shelf.kept[self._root, file].said
        if missing:
            self._memory.learn(self._crew.imports())

    def _holds(self, shelf: _Shelf[_Said], file: Path, way: object) -> bool:
        # The digest is taken before the file is surveyed: a change in between is noticed the next time.
        digest = self._digest(str(file))
        kept = shelf.kept.get((self._root, file))
        if kept is None or kept.way != way:
            return False
        return file in shelf.used or (digest != b"" and kept.stamp == self._stamp(file))

    def _settle(self, shelf: _Shelf[_Said]) -> None:
        for file in shelf.used:
            key = self._root, file
            shelf.kept[key] = replace(shelf.kept[key], stamp=self._stamp(file))
        shelf.used.clear()

    def _stamp(self, file: Path) -> bytes:
        """What decides all that a file says, except how its kernels are launched."""
        digest = hashlib.sha256()
        for path in sorted(self._memory.reached([str(file)])):
            digest.update(path.encode() + b"\0" + self._digest(path))
        return digest.digest()

    def _digest(self, path: str) -> bytes:
        """What stands for a file's content; empty where it cannot be read."""
        if path not in self._digests:
            try:
                self._digests[path] = hashlib.sha256(Path(path).read_bytes()).digest()
            except OSError:
                self._digests[path] = b""
        return self._digests[path]
