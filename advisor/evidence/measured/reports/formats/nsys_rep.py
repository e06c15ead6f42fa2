"""`.nsys-rep` and `.qdrep`: Nsight Systems exports them; nothing else reads them."""

from __future__ import annotations

from pathlib import Path

from advisor.evidence.measured.reports.report import ImportedReport
from advisor.model.errors import UsageError

NAME = "Nsight Systems SQLite export"


def recognises(path: Path, head: bytes) -> bool:
    """Whether the file has the name of a report of Nsight Systems."""
    del head
    return path.suffix in (".nsys-rep", ".qdrep")


def read(path: Path) -> ImportedReport:
    """Raise UsageError that says how to export the report."""
    raise UsageError(
        f"{path}: a report of Nsight Systems has to be exported first: "
        f"run `nsys export --type sqlite {path.name}` and import the SQLite file."
    )
