"""Whole reports kept from one run to the next: valid while no file, no rule and no option has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import advisor
from advisor.model.data_files import grammar_folder, knowledge_folder
from advisor.model.errors import SourceProblem
from advisor.model.findings import (
    Edit,
    Evidence,
    Finding,
    Fix,
    Gain,
    Problem,
    Related,
    Report,
    Undecided,
    Unrecognised,
)
from advisor.model.storage.cache import Cache
from advisor.model.storage.file_stamp import FileStamp, Stamps, stamps_of
from advisor.model.text.source_text import Span, read_source


class ReportCache:
    """The report on one set of files under one set of options.

    `files` are all files that the run looks at, `folders` those whose rules it loads, `options` whatever else
    decides the report. What the run reads beyond `files` is given to `store` and checked by `load`.
    """

    def __init__(
        self, folder: Path, root: Path, files: Sequence[Path], folders: Iterable[Path], options: object
    ) -> None:
        self._cache, self._root = Cache(folder), root
        stamps = stamps_of(files)
        self._racy = any(stamp is not None and stamp.racy for _, stamp in stamps)
        digest = hashlib.sha256(repr((options, advisor.__version__, str(root))).encode())
        digest.update(repr(stamps).encode())
        digest.update(repr(_program(folders)).encode())
        self._key = f"report:{digest.hexdigest()}"

    def load(self) -> Report | None:
        """The kept report, None when there is none or a file it rests on has changed."""
        entry = self._cache.get_many([self._key]).get(self._key)
        try:
            if entry is None or any(FileStamp.of(file) != _stamp(stamp) for file, stamp in entry["read"]):
                return None
            report = _report(entry["report"])
            report.texts = {path: read_source(self._root / path, path).text for path in entry["texts"]}
        except (KeyError, TypeError, ValueError, AttributeError, SourceProblem):
            return None
        return report

    def store(self, report: Report, read: Iterable[str]) -> None:
        """Keep a report; `read` names further files whose content went into it."""
        if self._racy:
            return
        content = {name: value for name, value in vars(report).items() if name != "texts"}
        # Findings share fixes, each with edits of a whole kernel perhaps.
        shared = {id(fix): fix for finding in report.findings for fix in finding.fixes}
        numbers = {known: number for number, known in enumerate(shared)}
        content["fixes"] = [asdict(fix) for fix in shared.values()]
        content["findings"] = [
            {**asdict(replace(finding, fixes=())), "fixes": [numbers[id(fix)] for fix in finding.fixes]}
            for finding in report.findings
        ]
        for name in ("problems", "undecided", "unrecognised"):
            content[name] = [asdict(item) for item in content[name]]
        content["unread"] = {path: sorted(lines) for path, lines in report.unread.items()}
        self._cache.put_many({
            self._key: {
                "report": content,
                "texts": list(report.texts),
                "read": stamps_of(sorted(set(read))),
            }
        })  # fmt: skip


def _program(folders: Iterable[Path]) -> Stamps:
    """What the program itself consists of: its modules, its grammar, the rules."""
    package = Path(advisor.__file__).parent
    sources = [*package.rglob("*.py"), *grammar_folder().iterdir()]
    for folder in (knowledge_folder(), *folders):
        sources += folder.rglob("*") if folder.is_dir() else [folder]
    return stamps_of(sorted(sources))


def _stamp(kept: Any) -> FileStamp | None:
    return None if kept is None else FileStamp(*kept)


def _report(content: dict[str, Any]) -> Report:
    fixes = [_fix(item) for item in content["fixes"]]
    return Report(
        content["device"],
        [_finding(item, fixes) for item in content["findings"]],
        [Problem(**item) for item in content["problems"]],
        [
            Undecided(item["rule"], item["places"], tuple(item["needs"]), tuple(item["sources"]))
            for item in content["undecided"]
        ],
        list(content["notices"]),
        {},
        dict(content["summary"]),
        unread={path: frozenset(lines) for path, lines in content["unread"].items()},
        unrecognised=[
            Unrecognised(item["path"], tuple(item["uses"]), tuple(item["launches"]))
            for item in content["unrecognised"]
        ],
    )


def _fix(item: dict[str, Any]) -> Fix:
    edits = tuple(Edit(**edit) for edit in item["edits"])
    return Fix(**{**item, "edits": edits, "lines": tuple(item["lines"])})


def _finding(item: dict[str, Any], fixes: Sequence[Fix]) -> Finding:
    related = (Related(**{**other, "span": Span(**other["span"])}) for other in item["related"])
    return Finding(
        **{
            **item,
            "span": Span(**item["span"]),
            "advice": tuple(item["advice"]),
            "evidence": tuple(Evidence(**evidence) for evidence in item["evidence"]),
            "gain": Gain(**item["gain"]) if item["gain"] else None,
            "assumptions": tuple(item["assumptions"]),
            "fixes": tuple(fixes[number] for number in item["fixes"]),
            "related": tuple(related),
        }
    )
