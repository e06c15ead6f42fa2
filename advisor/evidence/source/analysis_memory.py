"""What files said when they were last analysed, kept while neither they nor what they import have changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias, TypeVar

from advisor.evidence.source.analysis_workers import AnalysisWorkers
from advisor.evidence.source.file_analyser import FileHost, FileKernels, Launched
from advisor.model.storage.memo import Memo
from advisor.model.text.source_text import SourceText
from advisor.program.resolution.factory_calls import Callers

_Said = TypeVar("_Said")
# What files said, by root and file; a key is what the file was asked with.
_FileMemo: TypeAlias = Memo[tuple[Path, Path], _Said]


class AnalysisMemory:
    """The analyses of one command, of files below one root or several; belongs to one thread.

    The inputs of what a file said are its own content and that of all files that it imports. That a module
    appears where none was is not noticed by the files that import it.
    """

    def __init__(self) -> None:
        self.hosts: _FileMemo[FileHost] = Memo()
        self.launches: _FileMemo[FileHost] = Memo()
        self.names: _FileMemo[frozenset[str]] = Memo()
        self.array_code: _FileMemo[FileHost] = Memo()
        self.kernels: _FileMemo[FileKernels] = Memo()
        self._imports: dict[str, set[str]] = {}

    def unknown(self, root: Path, files: Iterable[Path]) -> int:
        """How many of the files it has never met."""
        memos = self.hosts, self.launches, self.array_code
        return sum(all(memo.latest((root, file)) is None for memo in memos) for file in files)

    def learn(self, imports: Iterable[tuple[str, str]]) -> None:
        """Add files that were looked into, each after one that imports it."""
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


class RememberingWorkers:
    """Analyses what the memory does not hold, and puts it there; for one analysis."""

    def __init__(self, root: Path, jobs: int, memory: AnalysisMemory) -> None:
        self._root, self._memory = root, memory
        self._workers = AnalysisWorkers(root, jobs)
        self._digests: dict[str, bytes] = {}
        self._asked: set[str] = set()
        self._hosts: dict[Path, FileHost] = {}
        self._unsettled: list[Callable[[], object]] = []

    def close(self) -> None:
        """End the workers, and note what all that was used rests on: more imports may be known by now."""
        self._workers.close()
        for settle in self._unsettled:
            settle()

    def hosts(
        self, files: list[Path], texts: Mapping[Path, SourceText], *, with_records: bool = True
    ) -> list[FileHost]:
        """The host side of each file, as it lies on the disk: there are no texts that stand for files."""
        assert not texts
        memo = self._memory.hosts if with_records else self._memory.launches
        found = list(
            self._said(memo, files, lambda those: self._workers.hosts(those, {}, with_records=with_records))
        )
        self._hosts.update(zip(files, found, strict=True))
        return found

    def names_read(self, files: list[Path], texts: Mapping[Path, SourceText]) -> frozenset[str]:
        """The names that the files read, as they lie on the disk."""
        assert not texts
        said = self._said(
            self._memory.names, files, lambda those: [self._workers.names_read([one], {}) for one in those]
        )
        return frozenset().union(*said)

    def array_code(self, files: list[Path]) -> list[FileHost]:
        """What each file does with torch and cupy."""
        return list(self._said(self._memory.array_code, files, self._workers.array_code))

    def kernels(
        self, files: list[Path], launched: Launched, with_units: bool, callers: Callers
    ) -> Iterable[FileKernels]:
        """The kernels of each file, as they are launched; `callers` call what makes kernels."""
        self.hosts([file for file in files if file not in self._hosts], {}, with_records=False)
        ways = {
            file: (with_units, [launched.get(key) for key, _ in self._hosts[file].kernels], callers)
            for file in files
        }
        return self._said(
            self._memory.kernels,
            files,
            lambda those: self._workers.kernels(those, launched, with_units, callers),
            ways,
        )

    def files_read(self) -> frozenset[str]:
        """Every file whose content was used."""
        return frozenset(self._memory.reached(self._asked))

    def _said(
        self,
        memo: _FileMemo[_Said],
        files: Sequence[Path],
        analyse: Callable[[list[Path]], Iterable[_Said]],
        ways: Mapping[Path, object] | None = None,
    ) -> Iterator[_Said]:
        """What each file says, in order; of what is new the imports are known when all was taken."""
        ways = ways or {}
        self._asked.update(map(str, files))
        # Digests are taken before files are analysed: a change in between is noticed the next time.
        digests = {file: self._digest(str(file)) for file in files}
        known = {file: memo.find((self._root, file), ways.get(file), self._digest) for file in files}
        missing = [file for file in files if known[file] is None]
        fresh = iter(analyse(missing)) if missing else iter(())
        for file in files:
            question, way, said = (self._root, file), ways.get(file), known[file]
            if said is None:
                said = memo.keep(question, way, next(fresh), {str(file): digests[file]})
            self._unsettled.append(partial(self._settle, memo, question, way, said))
            yield said
        if missing:
            self._memory.learn(self._workers.imports())

    def _settle(self, memo: _FileMemo[_Said], question: tuple[Path, Path], way: object, said: _Said) -> None:
        reached = self._memory.reached([str(question[1])])
        memo.keep(question, way, said, {path: self._digest(path) for path in reached})

    def _digest(self, path: str) -> bytes:
        """What stands for a file's content; empty where it cannot be read."""
        if path not in self._digests:
            try:
                self._digests[path] = hashlib.sha256(Path(path).read_bytes()).digest()
            except OSError:
                self._digests[path] = b""
        return self._digests[path]
