"""What a check is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from advisor.model.processes.units_of_work import Executor
from advisor.model.records import SOURCES, Source
from advisor.model.settings.config import Config
from advisor.model.text.source_text import SourceText

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class CheckOptions:
    """What to check for. `root` is the folder that reported paths are relative to.

    `workspace_files` are the other files to look for launches in; None means all of the workspace. With
    `fixes` remedies are written as edits; with `proofs` a fix carries what `advisor verify` found of it, and
    is withdrawn where that says so. With `synthesis` launches are made up for kernels of which none is known.
    Where nobody named the device (`any_device`) gains are asked for those of the policy. What takes long is
    done by an `executor`, without one by `jobs` processes of this machine.
    """

    device: str
    root: Path
    evidence: Source = "compiled"
    no_run: bool = False
    strict: bool = False
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    settings: Config = field(default_factory=Config)
    cache_folder: Path | None = None
    jobs: int | None = None
    stdin: SourceText | None = None
    workspace_files: tuple[Path, ...] | None = None
    fixes: bool = True
    proofs: bool = True
    synthesis: bool = False
    any_device: bool = False
    executor: Executor | None = None

    def wants(self, source: Source) -> bool:
        """Whether a source of evidence is asked for."""
        if source == "synthesised" and not self.synthesis:
            return False
        return SOURCES.index(self.evidence) >= SOURCES.index(source)
