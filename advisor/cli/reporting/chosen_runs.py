"""The runs that a user names: of the history, or reports that are read for the occasion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.model.errors import UsageError
from advisor.model.history.fingerprint import Run
from advisor.model.history.store import HistoryStore, history_of
from advisor.model.settings.selectors import suggestion

if TYPE_CHECKING:
    from advisor.model.settings.check_options import CheckOptions

# The labels among which a mistyped one is looked for.
_SUGGESTED = 1_000


def comparing_options() -> CheckOptions:
    """The options of commands that judge what the history of the project here keeps."""
    from advisor.model.settings.check_options import CheckOptions
    from advisor.model.settings.config import load_config

    config = load_config(Path.cwd())
    return CheckOptions(
        device=config.device,
        evidence="measured",
        no_run=True,
        root=Path.cwd(),
        select=config.select,
        extend_select=config.extend_select,
        ignore=config.ignore,
        settings=replace(config, select=(), extend_select=(), ignore=()),
    )


def open_history(options: CheckOptions) -> HistoryStore:
    """The history of the project; raises UsageError where nothing was kept yet."""
    store = history_of(options.settings)
    try:
        if not store.exists():
            raise UsageError(
                f"There is no history in {_place(store, options)} yet: `advisor profile PATH` or "
                "`advisor import FILE` begins one."
            )
    except BaseException:
        store.close()
        raise
    return store


def history_at(text: str) -> HistoryStore:
    """The history of a project's folder, in a file of SQLite, or at an address; nothing is opened yet."""
    folder = Path(text)
    return HistoryStore(folder) if folder.is_dir() else HistoryStore(Path.cwd(), text)


def _place(store: HistoryStore, options: CheckOptions) -> str:
    own = HistoryStore(options.settings.root)
    return str(options.settings.root) if store.name == own.name else store.name


def chosen_runs(names: Sequence[str], store: HistoryStore) -> list[Run]:
    """The runs with their fingerprints; raises UsageError for a name that no run has."""
    return [kept_run(name, store) for name in names]


def kept_run(name: str, store: HistoryStore) -> Run:
    """The run that a text names: a number, `latest`, `latest~1`, a label or the beginning of a commit."""
    try:
        return store.run(store.find(name))
    except UsageError as error:
        labels = [run.facts.label for run in store.runs(most=_SUGGESTED) if run.facts.label]
        raise UsageError(f"{error}{suggestion(name, [*labels, 'latest'])}") from None


def kept_or_imported(name: str, options: CheckOptions) -> Run:
    """The run that a text names, or what the report of that file tells; a file's run is not kept."""
    store = history_of(options.settings)
    is_file = Path(name).is_file()
    try:
        if store.exists() and not (is_file and ("/" in name or "." in name)):
            return kept_run(name, store)
    finally:
        store.close()
    if is_file:
        return _imported(Path(name), options)
    open_history(options)
    raise UsageError(f"No run and no file is called `{name}`.")


def _imported(file: Path, options: CheckOptions) -> Run:
    from advisor.cli.importing.imported_run import import_reports
    from advisor.cli.importing.project_kernels import project_of

    return import_reports([file], options, project_of(options), "", (), "").run
