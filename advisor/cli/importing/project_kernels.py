"""The kernels of the project that a report may speak of."""

from __future__ import annotations

import os
from pathlib import Path

from advisor.cli.importing.imported_run import Project
from advisor.cli.importing.matching import ProjectKernel
from advisor.evidence.source.analysis import analyse
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.file_discovery import find_files


def project_of(options: CheckOptions) -> Project:
    """The kernels below the project's root; nothing is run or imported."""
    root = options.settings.root
    files = find_files([root], options.settings.exclude, root).files
    found = analyse([Path(file) for file in files], options.root, jobs=options.jobs or 1)
    shown = {_relative(options.root / path, root): path for path in found.texts}
    recorded = {path: name for name, path in shown.items()}
    kernels = tuple(
        ProjectKernel.of(record, recorded[record.path], found.texts[record.path])
        for record in found.records
        if record.entity == "kernel" and record.path in recorded
    )
    return Project(kernels, tuple(found.records), found.texts, shown)


def _relative(path: Path, folder: Path) -> str:
    try:
        return os.path.relpath(path, folder).replace(os.sep, "/")
    except ValueError:  # on another drive
        return path.as_posix()
