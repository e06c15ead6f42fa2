"""Records of a small program, for the tests of source facts."""

from __future__ import annotations

import textwrap
from pathlib import Path

from advisor.evidence.source.analysis import SourceEvidence, analyse
from advisor.model.records import Record, Value


def survey_text(folder: Path, **files: str) -> SourceEvidence:
    """The survey of modules given as keyword arguments, name to text."""
    paths = []
    for name, text in files.items():
        file = folder / f"{name}.py"
        file.write_text("from numba import cuda\nimport math\nimport numpy as np\n" + textwrap.dedent(text))
        paths.append(file)
    return analyse(paths, folder)


def records(folder: Path, entity: str, text: str) -> list[Record]:
    """The records of one entity in a one-file program, in order of lines."""
    found = [record for record in survey_text(folder, program=text).records if record.entity == entity]
    return sorted(found, key=lambda record: (record.span.line, record.span.column))


def access(folder: Path, text: str, label: str) -> Record:
    """The first access of that label in a one-file program."""
    return next(record for record in records(folder, "access", text) if record.label == label)


def value(record: Record, metric: str) -> Value | None:
    """The value of a metric, None when it is unknown."""
    reading = record.readings.get(metric)
    return None if reading is None else reading.value
