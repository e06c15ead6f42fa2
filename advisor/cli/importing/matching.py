"""Which kernel of the project a report speaks of, by the names that Numba gives and by the user's word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from advisor.evidence.measured.reports.kernel_names import readable
from advisor.model.errors import UsageError
from advisor.model.history.fingerprint import Fingerprint, LineMetrics
from advisor.model.history.identity import functions
from advisor.model.records import Record

_MAIN = "__main__"


@dataclass(frozen=True)
class ProjectKernel:
    """A kernel of the project: its path relative to the root, name, line and the hash of its text."""

    path: str
    name: str
    line: int
    source_hash: str | None

    @classmethod
    def of(cls, record: Record, path: str, text: str) -> ProjectKernel:
        """The kernel that a record of the analysis stands for."""
        line = record.span.line
        known = {one.line: one.source_hash for one in functions(text)}
        return cls(path, record.label, line, known.get(line))


@dataclass(frozen=True)
class Mapped:
    """A word of the user's: kernels whose name in the report matches are this one of the project."""

    pattern: re.Pattern[str]
    path: str
    name: str

    @classmethod
    def parsed(cls, text: str) -> Mapped:
        """The mapping that `regex=path::kernel` means. Raises UsageError for another form."""
        pattern, _, target = text.rpartition("=")
        path, separator, name = target.partition("::")
        if not pattern or not separator or not path or not name:
            raise UsageError(f"--map {text}: write it as 'regex=path::kernel'.")
        try:
            return cls(re.compile(pattern), PurePosixPath(path).as_posix(), name)
        except re.error as error:
            raise UsageError(f"--map {text}: `{pattern}` is no regular expression: {error}.") from None


class Matcher:
    """Finds the project's kernel for a fingerprint of a report."""

    def __init__(self, kernels: Sequence[ProjectKernel], mapped: Sequence[Mapped]) -> None:
        self._kernels, self._mapped = kernels, mapped
        self.notes: dict[str, None] = {}
        for one in mapped:
            if not any(_is_named(kernel, one) for kernel in kernels):
                known = ", ".join(f"{kernel.path}::{kernel.name}" for kernel in kernels[:5]) or "none"
                raise UsageError(f"--map: there is no kernel {one.path}::{one.name} here. Kernels: {known}.")

    def matched(self, fingerprint: Fingerprint, reported: str) -> Fingerprint:
        """The fingerprint with the kernel's path, line and hash; the same where the project has none."""
        kernel = self._kernel(reported)
        if kernel is None:
            return fingerprint
        identity = replace(
            fingerprint.identity, name=kernel.name, path=kernel.path, source_hash=kernel.source_hash
        )
        lines = tuple(_at_home(line, kernel) for line in fingerprint.lines)
        # Whatever it is called: what stands in the project can be changed there.
        metrics = {name: value for name, value in fingerprint.metrics.items() if name != "of_library"}
        return replace(fingerprint, identity=identity, metrics=metrics, line=kernel.line, lines=lines)

    def _kernel(self, reported: str) -> ProjectKernel | None:
        for one in self._mapped:
            if one.pattern.search(reported):
                return next(kernel for kernel in self._kernels if _is_named(kernel, one))
        name = readable(reported)
        if not name.parts:
            return None
        found = [kernel for kernel in self._kernels if _fits(kernel, name.parts)]
        if len(found) > 1:
            places = ", ".join(f"{kernel.path}:{kernel.line}" for kernel in found)
            self.notes[f"{name.name} may be any of {places}; --map says which."] = None
        return found[0] if len(found) == 1 else None


def _is_named(kernel: ProjectKernel, mapped: Mapped) -> bool:
    return kernel.name == mapped.name and kernel.path == mapped.path


def _fits(kernel: ProjectKernel, parts: Sequence[str]) -> bool:
    """Whether Numba would call the kernel so: its modules, as far as the path has them, and its own parts."""
    own = kernel.name.split(".")
    modules = list(parts[: -len(own)])
    if list(parts[-len(own) :]) != own or not modules:
        return False
    if modules == [_MAIN]:
        return True
    path = [*PurePosixPath(kernel.path).parent.parts, PurePosixPath(kernel.path).stem]
    if path[-1] == "__init__":
        path.pop()
    length = min(len(path), len(modules))
    return length > 0 and path[-length:] == modules[-length:]


def _at_home(line: LineMetrics, kernel: ProjectKernel) -> LineMetrics:
    """The line with the project's name of its file, where it lies in the kernel's file."""
    same = PurePosixPath(line.path.replace("\\", "/")).name == PurePosixPath(kernel.path).name
    return replace(line, path=kernel.path) if same or not line.path else line
