"""The files that one check reads: those that are checked, and their neighbours."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.workspace_files import workspace_files
from advisor.model.text.source_text import SourceText


@dataclass(frozen=True)
class Workplace:
    """The checked files, the text that stands for one of them, and the other files of the workspace."""

    targets: list[Path]
    stdin: tuple[Path, SourceText] | None
    neighbours: list[Path]

    @property
    def every(self) -> list[Path]:
        """The checked files on the disk and their neighbours."""
        return [*self.targets, *self.neighbours]

    def checks(self, file: Path) -> bool:
        """Whether the file is one of the checked ones, not a neighbour."""
        return _absolute(file) in self._own

    @cached_property
    def _own(self) -> frozenset[Path]:
        return frozenset([*self.targets, *([self.stdin[0]] if self.stdin else [])])


def workplace_of(files: Sequence[Path], options: CheckOptions) -> Workplace:
    """The workplace of a check of `files`; `options` may name a text on standard input and the neighbours."""
    # ".../a/../b" and links must name one file one way, or a kernel and its launch would not meet.
    targets = [_absolute(file) for file in files]
    stdin = (_absolute(options.root / options.stdin.path), options.stdin) if options.stdin else None
    known = [*targets, *([stdin[0]] if stdin else [])]
    if options.neighbours is None:
        return Workplace(targets, stdin, workspace_files(known, options.root))
    return Workplace(targets, stdin, [file for file in options.neighbours if file not in known])


def _absolute(file: Path) -> Path:
    return Path(os.path.abspath(file))  # noqa: PTH100 - Path.resolve would follow links
