"""The tables of the history, for every database, and how those of an earlier version become these."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.model.errors import UsageError
from advisor.model.history.rows import FINGERPRINT_COLUMNS

VERSION = 2


@dataclass(frozen=True)
class Dialect:
    """How a database says what is said in no common way: a key that counts up, and text ordered by bytes."""

    key: str
    text: str


# A kernel of a report has no path: '' stands for it, since no two NULLs are the same.
_TABLES = """
CREATE TABLE {new} runs (
    id {key}, kind {text} NOT NULL, label {text} NOT NULL, command {text} NOT NULL,
    started DOUBLE PRECISION NOT NULL, ended DOUBLE PRECISION, device {text} NOT NULL,
    executed_on {text} NOT NULL, toolchain {text} NOT NULL, commit_id {text}, dirty INTEGER,
    status {text} NOT NULL, metrics {text} NOT NULL, notes {text} NOT NULL, host {text} NOT NULL,
    process {text}
);
CREATE TABLE kernels (
    id {key}, path {text} NOT NULL, name {text} NOT NULL, source {text} NOT NULL, device {text} NOT NULL,
    UNIQUE (path, name, source, device)
);
CREATE TABLE fingerprints (
    id {key}, run BIGINT NOT NULL REFERENCES runs(id), kernel BIGINT NOT NULL REFERENCES kernels(id),
    line BIGINT, source_hash {text}, types {text} NOT NULL, grid {text}, block {text},
    dynamic_shared BIGINT NOT NULL, launches BIGINT NOT NULL, mean_ms DOUBLE PRECISION,
    timing {text} NOT NULL, metrics {text} NOT NULL, lines {text} NOT NULL, ranges {text} NOT NULL
);
CREATE INDEX runs_by_label ON runs (label, id);
CREATE INDEX {new} runs_by_commit ON runs (commit_id);
CREATE INDEX kernels_by_name ON kernels (name);
CREATE INDEX fingerprints_of_run ON fingerprints (run);
CREATE INDEX fingerprints_of_kernel ON fingerprints (kernel, run)
"""

# Version 1 was in SQLite only, with path, name and source of the kernel in each fingerprint.
_BEFORE_2 = """
DROP INDEX runs_by_label;
DROP INDEX fingerprints_of_run;
DROP INDEX fingerprints_of_kernel;
DROP INDEX fingerprints_by_name;
ALTER TABLE fingerprints RENAME TO earlier
"""
_TO_2 = f"""
INSERT INTO kernels (path, name, source, device)
    SELECT DISTINCT coalesce(e.path, ''), e.name, e.source, r.device
    FROM earlier e JOIN runs r ON r.id = e.run;
INSERT INTO fingerprints (id, run, kernel, {FINGERPRINT_COLUMNS})
    SELECT e.id, e.run, k.id, {", ".join(f"e.{name}" for name in FINGERPRINT_COLUMNS.split(", "))}
    FROM earlier e JOIN runs r ON r.id = e.run
    JOIN kernels k ON k.path = coalesce(e.path, '') AND k.name = e.name AND k.source = e.source
        AND k.device = r.device
    ORDER BY e.id;
DROP TABLE earlier
"""


def statements(found: int, dialect: Dialect) -> list[str]:
    """The statements that make this version's tables out of those of version `found`, 0 for none."""
    tables = _TABLES.format(key=dialect.key, text=dialect.text, new="IF NOT EXISTS" if found == 1 else "")
    text = {0: tables, 1: f"{_BEFORE_2};{tables};{_TO_2}"}.get(found, "")
    return [one for one in map(str.strip, text.split(";")) if one]


def require_known(found: int, name: str) -> int:
    """The version that was found; raises UsageError for one that this program does not know."""
    if found > VERSION:
        raise UsageError(
            f"{name} was written by a newer version of Kernel Advisor (format {found}; this one knows "
            f"{VERSION}). Use that version; the history was left as it is."
        )
    return found
