"""Reports of profilers: each format is a module of `formats`, found by being there."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path
from typing import Protocol, cast

from advisor.evidence.measured.reports import formats
from advisor.evidence.measured.reports.reading.opening import head_of
from advisor.evidence.measured.reports.reading.possible import refuse_impossible
from advisor.evidence.measured.reports.report import ImportedReport
from advisor.model.errors import UsageError

# What a reader stumbles over where a file holds other values than its format says: no number, none of that
# name, one too large. What is of another type is a fault of the reader, which has to ask for that.
_NOT_UNDERSTOOD = (ArithmeticError, LookupError, ValueError)

__all__ = ["ImportedReport", "read_report", "report_formats"]


class ReportFormat(Protocol):
    """What a format module offers; `NAME` is what it is called in messages."""

    NAME: str

    def recognises(self, path: Path, head: bytes) -> bool:
        """Whether a file that begins with these bytes, decompressed, is of this format."""

    def read(self, path: Path) -> ImportedReport:
        """What the report holds. Raises UsageError with one sentence for a damaged one."""


def report_formats() -> list[ReportFormat]:
    """All formats, in alphabetical order of their modules."""
    names = sorted(module.name for module in pkgutil.iter_modules(formats.__path__))
    return [cast(ReportFormat, importlib.import_module(f"{formats.__name__}.{name}")) for name in names]


def read_report(path: Path) -> ImportedReport:
    """What the report at `path` holds. Raises UsageError, one sentence, for a file that is no such report."""
    head = head_of(path)
    known = report_formats()
    for one in known:
        if one.recognises(path, head):
            return _read(one, path)
    if head.startswith(b"==") and not re.search(rb"^[^=\s]", head, re.MULTILINE):
        raise UsageError(
            f"{path}: the file holds messages of Nsight Compute and no table; it profiled no kernel."
        )
    names = ", ".join(dict.fromkeys(one.NAME for one in known))
    raise UsageError(f"{path}: this is none of the reports that can be read: {names}.")


def _read(form: ReportFormat, path: Path) -> ImportedReport:
    try:
        report = form.read(path)
    except _NOT_UNDERSTOOD as error:
        why = " ".join(str(error).split())[:200]
        raise UsageError(
            f"{path}: the file is damaged, or of a version of {form.NAME} that is not known "
            f"({type(error).__name__}: {why})."
        ) from error
    refuse_impossible(report, path)
    return report
