"""The files that one check reads: those that are checked, and the others of the workspace."""

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
class Inputs:
    """The checked files, the text that stands for one of them, and the other files of the workspace.

    The other files are only read for what they say of the checked ones, such as launches of their kernels.
    """

    checked: list[Path]
    stdin: tuple[Path, SourceText] | None
    workspace_files: list[Path]

    @classmethod
    def of(cls, files: Sequence[Path], options: CheckOptions) -> Inputs:
        """The inputs of a check of `files`; `options` may name a text on standard input, and the others."""
        # ".../a/../b" and links must name one file one way, or a kernel and its launch would not meet.
        checked = [_absolute(file) for file in files]
        stdin = (_absolute(options.root / options.stdin.path), options.stdin) if options.stdin else None
        known = [*checked, *([stdin[0]] if stdin else [])]
        if options.workspace_files is None:
            return cls(checked, stdin, workspace_files(known, options.root))
        return cls(checked, stdin, [file for file in options.workspace_files if file not in known])

    @property
    def on_disk(self) -> list[Path]:
        """All files that are read from the disk."""
        return [*self.checked, *self.workspace_files]

    def checks(self, file: Path) -> bool:
        """Whether the file is one of the checked ones."""
        return _absolute(file) in self._own

    @cached_property
    def _own(self) -> frozenset[Path]:
        return frozenset([*self.checked, *([self.stdin[0]] if self.stdin else [])])


def _absolute(file: Path) -> Path:
    return Path(os.path.abspath(file))  # noqa: PTH100 - Path.resolve would follow links
