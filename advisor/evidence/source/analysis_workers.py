"""Who analyses the files: one analyser here, or one in each of several processes."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.evidence.source.file_analyser import FileAnalyser, FileHost, FileKernels, Launched
from advisor.model.text.source_text import SourceText
from advisor.program.resolution.factory_calls import Callers

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

# So many files go to a worker at once; for no more than these none is started.
CHUNK = 24


class AnalysisWorkers:
    """One analyser in this process, or one in each of several workers;
    a file stays with its worker where the kernels of the same files are asked for as the host sides were.
    """

    def __init__(self, root: Path, jobs: int) -> None:
        self.local = FileAnalyser(root) if jobs <= 1 else None
        self.pools = _workers(root, jobs) if jobs > 1 else []

    def close(self) -> None:
        """End the workers."""
        for pool in self.pools:
            pool.shutdown(cancel_futures=True)

    def hosts(
        self, files: list[Path], texts: Mapping[Path, SourceText], *, with_records: bool = True
    ) -> list[FileHost]:
        """The host side of each file; `texts` stand for some of them."""
        if self.local is not None:
            return [self.local.host(file, texts.get(file), with_records=with_records) for file in files]
        futures = [
            pool.submit(_hosts, chunk, dict(texts), with_records) for pool, chunk in self._dealt(files)
        ]
        return [host for future in futures for host in future.result()]

    def names_read(self, files: list[Path], texts: Mapping[Path, SourceText]) -> frozenset[str]:
        """The names that the files read; `texts` stand for some of them."""
        if self.local is not None:
            return frozenset().union(*(self.local.names_read(file, texts.get(file)) for file in files))
        futures = [pool.submit(_names_read, chunk, dict(texts)) for pool, chunk in self._dealt(files)]
        return frozenset().union(*(future.result() for future in futures))

    def array_code(self, files: list[Path]) -> list[FileHost]:
        """What each file does with torch and cupy."""
        if self.local is not None:
            return [self.local.array_code(file) for file in files]
        futures = [pool.submit(_array_code, chunk) for pool, chunk in self._dealt(files)]
        return [host for future in futures for host in future.result()]

    def files_read(self) -> frozenset[str]:
        """Every file that was read."""
        if self.local is not None:
            return self.local.workspace.files
        return frozenset().union(*(pool.submit(_files_read).result() for pool in self.pools))

    def imports(self) -> list[tuple[str, str]]:
        """The files whose modules were looked into, each after one that imports it."""
        if self.local is not None:
            return sorted(self.local.workspace.imports)
        return [pair for pool in self.pools for pair in pool.submit(_imports).result()]

    def kernels(
        self, files: list[Path], launched: Launched, with_units: bool, callers: Callers
    ) -> Iterable[FileKernels]:
        """The kernels of each file, as they are launched; `callers` call what makes kernels."""
        if self.local is not None:
            yield from (self.local.kernels(file, launched, with_units, callers) for file in files)
            return
        futures: list[Future[list[FileKernels]]] = [
            pool.submit(_kernels, chunk, launched, with_units, callers) for pool, chunk in self._dealt(files)
        ]
        for future in futures:
            yield from future.result()

    def _dealt(self, files: list[Path]) -> Iterable[tuple[ProcessPoolExecutor, list[Path]]]:
        """Chunks of neighbouring files, each dealt to a worker by its first file's place in the list."""
        for number, start in enumerate(range(0, len(files), CHUNK)):
            yield self.pools[number % len(self.pools)], files[start : start + CHUNK]


def _workers(root: Path, jobs: int) -> list[ProcessPoolExecutor]:
    from concurrent.futures import ProcessPoolExecutor  # a check of few files need not wait for it

    return [ProcessPoolExecutor(1, initializer=_begin, initargs=(root,)) for _ in range(jobs)]


_analyser: FileAnalyser | None = None


def _begin(root: Path) -> None:
    global _analyser
    gc.disable()
    _analyser = FileAnalyser(root)


def _hosts(files: list[Path], texts: Mapping[Path, SourceText], with_records: bool) -> list[FileHost]:
    assert _analyser is not None
    return [_analyser.host(file, texts.get(file), with_records=with_records) for file in files]


def _names_read(files: list[Path], texts: Mapping[Path, SourceText]) -> frozenset[str]:
    assert _analyser is not None
    return frozenset().union(*(_analyser.names_read(file, texts.get(file)) for file in files))


def _array_code(files: list[Path]) -> list[FileHost]:
    assert _analyser is not None
    return [_analyser.array_code(file) for file in files]


def _kernels(files: list[Path], launched: Launched, with_units: bool, callers: Callers) -> list[FileKernels]:
    assert _analyser is not None
    return [_analyser.kernels(file, launched, with_units, callers) for file in files]


def _files_read() -> frozenset[str]:
    assert _analyser is not None
    return _analyser.workspace.files


def _imports() -> list[tuple[str, str]]:
    assert _analyser is not None
    return sorted(_analyser.workspace.imports)
