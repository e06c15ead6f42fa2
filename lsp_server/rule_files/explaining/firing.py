"""On which kernels of the workspace a rule fires, by what the source of its files says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.check.pipeline import Check
from advisor.check.rule_selection import settings_with_todays_names
from advisor.evidence.metrics.tables import Table, Tables
from advisor.model.devices import find_device
from advisor.model.errors import AdvisorError
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config, load_config
from advisor.model.settings.file_discovery import find_files
from advisor.model.storage.file_stamp import stamps_of
from advisor.model.storage.memo import Memo
from advisor.rules.checking.computed_metrics import fill_in
from advisor.rules.model import Rule, Rulebook
from advisor.rules.settings import RuleSettings
from advisor.rules.testing.difference import verdicts_of

_MOST_FILES = 20_000
_MOST_FOLDERS = 16


class Stopped(Exception):
    """The server ends; nobody wants to know any more."""


@dataclass(frozen=True)
class Evidence:
    """What the source of a folder's files says, without computed metrics, and the settings of the folder.

    `tables`, whose paths are relative to the folder, is None where there are too many files.
    """

    folder: Path
    settings: Config
    tables: Tables | None


@dataclass(frozen=True, slots=True)
class Firing:
    """Where a rule fires: how many kernels there are, and the labels with places of those it fires on.

    `places` are the rows themselves where a rule is not about kernels; `undecided` counts the kernels on
    which a value is missing that decides.
    """

    kernels: int
    fires_on: tuple[str, ...] = ()
    undecided: int = 0
    places: tuple[str, ...] | None = None


class WorkspaceKernels:
    """The evidence of folders, kept until a file changes; it is gathered in a thread of its own."""

    def __init__(self) -> None:
        self.thread = ThreadPoolExecutor(1, "kernels")
        self._kept = Memo[Path, Evidence](_MOST_FOLDERS)
        self._fresh: set[Path] = set()

    def forget(self) -> None:
        """Make the next question look at the files again."""
        self._fresh = set()

    def evidence(self, top: Path, book: Rulebook, stopped: Callable[[], bool]) -> Evidence:
        """The evidence of the files below a folder. Raises Stopped when `stopped` says so."""
        kept = self._kept.latest(top) if top in self._fresh else None
        if kept is not None:
            return kept
        # A change while this runs makes it out of date again.
        self._fresh.add(top)
        try:
            return self._gathered(top, book, stopped)
        except BaseException:
            self._fresh.discard(top)
            raise

    def _gathered(self, top: Path, book: Rulebook, stopped: Callable[[], bool]) -> Evidence:
        settings = _settings(top)
        files, _ = find_files([top], settings.exclude, settings.root)
        stamps = stamps_of(files)

        def gather() -> Evidence:
            return Evidence(top, settings, self._tables(files, top, settings, book, stopped))

        return self._kept.value(top, (stamps, settings), gather)

    def _tables(
        self, files: Sequence[Path], top: Path, settings: Config, book: Rulebook, stopped: Callable[[], bool]
    ) -> Tables | None:
        if len(files) > _MOST_FILES:
            return None

        def step(_: str, __: int, ___: int) -> None:
            if stopped():
                raise Stopped

        options = CheckOptions(
            device=settings.device, root=top, evidence="source", no_run=True, settings=settings, jobs=1,
            workspace_files=(), fixes=False, proofs=False,
        )  # fmt: skip
        check = Check(files, options, step, rulebook=_without_computed(book))
        return check.evidence().metrics.tables


def firing_of(rule: Rule, book: Rulebook, evidence: Evidence) -> Firing:
    """Where a rule fires by the evidence, under the settings of the folder."""
    tables = _filled(evidence.tables or {}, book)
    kernels = tables.get("kernel")
    found = verdicts_of(book, _rule_settings(evidence, book), rule.id, tables)
    count = len(kernels) if kernels is not None else 0
    if not _about_kernels(rule.entity, book):
        table = tables.get(rule.entity)
        rows = [row for row, verdict in found.items() if verdict == "fires"]
        return Firing(count, places=tuple(_place(table, row) for row in rows) if table is not None else ())
    if kernels is None or rule.entity not in tables:
        return Firing(count, undecided=count)
    by_verdict: dict[str, set[int]] = {"fires": set(), "unknown": set()}
    for row, verdict in found.items():
        kernel = _kernel_row(rule.entity, row, tables, book)
        if verdict in by_verdict and kernel >= 0:
            by_verdict[verdict].add(kernel)
    fires = sorted(by_verdict["fires"])
    return Firing(
        count, tuple(_place(kernels, row) for row in fires), len(by_verdict["unknown"] - set(fires))
    )


def _settings(top: Path) -> Config:
    try:
        return load_config(top)
    except AdvisorError:
        return Config(root=top)


def _rule_settings(evidence: Evidence, book: Rulebook) -> RuleSettings:
    settings, _ = settings_with_todays_names(evidence.settings, book)
    return RuleSettings.of_project(settings, find_device(settings.device).id, evidence.folder)


def _without_computed(book: Rulebook) -> Rulebook:
    """The rulebook whose computed metrics are left to whoever judges: they change while they are written."""
    metrics = {key: replace(metric, computed=None) for key, metric in book.metrics.items()}
    return replace(book, metrics=metrics)


def _filled(tables: Tables, book: Rulebook) -> Tables:
    """The tables with the computed metrics of the rulebook."""
    found = {entity: replace(table, columns=dict(table.columns)) for entity, table in tables.items()}
    fill_in(book, found)
    return found


def _about_kernels(entity: str, book: Rulebook) -> bool:
    known: str | None = entity
    while known is not None and known != "kernel":
        known = book.entities[known].owner if known in book.entities else None
    return known == "kernel"


def _kernel_row(entity: str, row: int, tables: Tables, book: Rulebook) -> int:
    """The row of the kernel that a row of an entity belongs to, -1 for none."""
    while entity != "kernel" and row >= 0:
        row = int(tables[entity].owners[row])
        entity = book.entities[entity].owner or "kernel"
        if entity not in tables:
            return -1
    return row


def _place(table: Table, row: int) -> str:
    return f"{table.labels[row]} ({table.paths[row]}:{table.spans[row].line})"
