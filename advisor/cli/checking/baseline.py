"""A baseline: the findings a project has agreed to live with, so that only new ones count."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

from advisor.cli.checking.report_file import write_atomically
from advisor.model.errors import UsageError
from advisor.model.findings import Finding, Report

VERSION = 1


class Entry(NamedTuple):
    """What stays the same of one place of a finding when lines above it move."""

    path: str
    rule: str
    kernel: str
    text: str

    @property
    def cause(self) -> tuple[str, ...]:
        """What it shares with the other places of its finding: the kernel. Outside of kernels the entry."""
        return self[:3] if self.kernel else self


def entries_of(finding: Finding, texts: dict[str, str]) -> list[Entry]:
    """The entries of the places of `finding`; `texts` holds the sources by path."""
    lines = texts.get(finding.path, "").splitlines()
    found = []
    for one in finding.at_each_place():
        line = lines[one.span.line - 1] if one.span.line <= len(lines) else ""
        found.append(Entry(one.path, one.rule, one.kernel or "", " ".join(line.split())))
    return found


def read_baseline(file: Path) -> Counter[Entry]:
    """How often each entry is accepted. Raises UsageError when `file` is not a baseline."""
    try:
        content = json.loads(file.read_text("utf-8"))
        if content["version"] != VERSION:
            raise ValueError(f"version {content['version']} is not known")
        return Counter(
            {
                Entry(row["path"], row["rule"], row["kernel"], row["text"]): int(row["count"])
                for row in content["findings"]
            }
        )
    except FileNotFoundError:
        raise UsageError(f"--baseline {file}: there is no such file; --write-baseline writes it.") from None
    except OSError as error:
        raise UsageError(f"--baseline {file}: cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"--baseline {file}: is not a baseline of this program: {error}") from None


def apply_baseline(report: Report, accepted: Counter[Entry]) -> None:
    """Drop the accepted findings from `report` and note in its summary how many they were.

    One that was accepted at any of its places is, whatever places it has got since.
    """
    left = Counter(accepted)
    kept: list[Finding] = []
    for finding in report.findings:
        known = [entry for entry in entries_of(finding, report.texts) if left[entry] > 0]
        if not known:
            kept.append(finding)
        left.subtract(known)
    report.summary["in_baseline"] = len(report.findings) - len(kept)
    report.findings[:] = kept


def write_baseline(file: Path, report: Report, checked: Collection[str]) -> int:
    """The number of findings that were accepted; entries of files that were not `checked` stay."""
    entries: Counter[Entry] = Counter()
    if file.exists():
        entries.update(
            {entry: count for entry, count in read_baseline(file).items() if entry.path not in checked}
        )
    for finding in report.findings:
        entries.update(entries_of(finding, report.texts))
    rows = [entry._asdict() | {"count": count} for entry, count in sorted(entries.items())]
    write_atomically(file, json.dumps({"version": VERSION, "findings": rows}, indent=1) + "\n")
    return len(report.findings)


def vanished(accepted: Counter[Entry], found: Iterable[Entry], checked: Collection[str]) -> int:
    """How many accepted findings of `checked` files no longer exist at any place."""
    left = Counter(accepted)
    left.subtract(there := Counter(found))
    causes = {entry.cause for entry in there if entry.kernel}
    gone = {entry: count for entry, count in left.items() if count > 0 and entry.path in checked}
    outside = sum(count for entry, count in gone.items() if not entry.kernel)
    return outside + len({entry.cause for entry in gone if entry.kernel} - causes)
