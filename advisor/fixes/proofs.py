"""Proofs of fixes that `advisor verify` has kept in a project, and the ledger of estimates and results."""

from __future__ import annotations

import ast
import hashlib
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import cast

from advisor.model.errors import UsageError
from advisor.model.findings import Finding, Fix, Proof, Verdict
from advisor.model.storage.file_stamp import FileStamp
from advisor.model.storage.own_folder import require_inside
from advisor.model.text.syntax_trees import syntax_tree

_FILE = Path(".advisor") / "proofs.sqlite"
# How verdicts were called that did not say whether a time was measured.
_FORMER: Mapping[str, Verdict] = {"proven faster": "measured faster", "slower": "measured slower"}
# The ledger does not tell either, and no GPU was ever the rule.
_LEDGER: Mapping[str, Verdict] = {"proven faster": "predicted faster", "slower": "predicted slower"}
_TABLES = """
CREATE TABLE IF NOT EXISTS proofs (
    fix TEXT, device TEXT, digest TEXT, verdict TEXT, speedup REAL, evidence TEXT, detail TEXT,
    PRIMARY KEY (fix, device, digest)
);
CREATE TABLE IF NOT EXISTS ledger (
    time REAL, rule TEXT, fix TEXT, device TEXT, kernel TEXT, estimated REAL, achieved REAL, verdict TEXT
);
"""


@dataclass(frozen=True)
class LedgerEntry:
    """One fix that was tried: the gain that its rule estimated (None without one), and the gain achieved."""

    rule: str
    fix: str
    device: str
    kernel: str
    estimated: float | None
    achieved: float | None
    verdict: Verdict


class ProofStore:
    """The proofs and the ledger of a project, in a file of its folder `.advisor`."""

    def __init__(self, root: Path) -> None:
        self._file = root / _FILE

    def exists(self) -> bool:
        """Whether any fix was tried in this project."""
        return self._file.is_file()

    def stamp(self) -> FileStamp | None:
        """The state of the file, which changes when proofs are added; None without one."""
        return FileStamp.of(self._file)

    def add(
        self, device: str, digests: Iterable[str], fix: str, proof: Proof, entries: Iterable[LedgerEntry]
    ) -> None:
        """Keep a proof for places of a fix, and add to the ledger."""
        rows = [
            (fix, device, digest, proof.verdict, proof.speedup, proof.evidence, proof.detail)
            for digest in digests
        ]
        now = time.time()
        told = [
            (now, one.rule, one.fix, one.device, one.kernel, one.estimated, one.achieved, one.verdict)
            for one in entries
        ]
        with self._open() as connection:
            connection.executemany("INSERT OR REPLACE INTO proofs VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            connection.executemany("INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?, ?)", told)

    def proofs(self, device: str) -> dict[tuple[str, str], Proof]:
        """The proofs for a device by fix and digest of its place."""
        if not self.exists():
            return {}
        query = "SELECT fix, digest, verdict, speedup, evidence, detail FROM proofs WHERE device = ?"
        with self._open() as connection:
            found = {
                (fix, digest): _as_called_now(*rest)
                for fix, digest, *rest in connection.execute(query, (device,))
            }
        return {key: proof for key, proof in found.items() if proof is not None}

    def ledger(self) -> list[LedgerEntry]:
        """All entries, oldest first."""
        if not self.exists():
            return []
        query = (
            "SELECT rule, fix, device, kernel, estimated, achieved, verdict FROM ledger ORDER BY time, rowid"
        )
        with self._open() as connection:
            rows = connection.execute(query).fetchall()
        return [_entry(*row) for row in rows]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            require_inside(self._file)
            self._file.parent.mkdir(exist_ok=True)
            ignored = self._file.parent / ".gitignore"
            if not ignored.exists():
                ignored.write_text("*\n", encoding="utf-8")
            with closing(sqlite3.connect(self._file, timeout=30.0)) as connection, connection:
                connection.executescript(_TABLES)
                yield connection
        except (sqlite3.Error, OSError) as error:
            raise UsageError(
                f"{self._file}: cannot be read or written ({error}); remove the file to start again."
            ) from None


def _entry(
    rule: str,
    fix: str,
    device: str,
    kernel: str,
    estimated: float | None,
    achieved: float | None,
    verdict: str,
) -> LedgerEntry:
    now = _LEDGER.get(verdict, cast(Verdict, verdict))
    return LedgerEntry(rule, fix, device, kernel, estimated, achieved, now)


def _as_called_now(verdict: str, speedup: float | None, evidence: str, detail: str) -> Proof | None:
    """A kept proof; None for a former one whose predicted time no count was asked to carry."""
    if verdict not in _FORMER:
        return Proof(cast(Verdict, verdict), speedup, evidence, detail)
    return Proof(_FORMER[verdict], speedup, evidence, detail) if evidence.startswith("measured") else None


def with_proofs(
    findings: Iterable[Finding], texts: Mapping[str, str], root: Path, device: str
) -> list[Finding]:
    """The findings with the proofs of their fixes; one that is wrong or slower has no edits."""
    found = list(findings)
    if not any(fix.edits for finding in found for fix in finding.fixes):
        return found
    proofs = ProofStore(root).proofs(device)
    if not proofs:
        return found
    return [
        replace(one, fixes=tuple(_with_proof(one, fix, texts, proofs) for fix in one.fixes)) for one in found
    ]


def _with_proof(
    finding: Finding, fix: Fix, texts: Mapping[str, str], proofs: Mapping[tuple[str, str], Proof]
) -> Fix:
    proof = proofs.get((fix.id, place_digest(finding, fix, texts))) if fix.edits else None
    if proof is None:
        return fix
    return replace(fix, proof=proof, edits=() if proof.withdraws else fix.edits)


def place_digest(finding: Finding, fix: Fix, texts: Mapping[str, str]) -> str:
    """A digest of a fix's edits and of the functions that they concern: while these stay, a proof holds."""
    digest = hashlib.sha256(repr((fix.id, finding.kernel)).encode())
    for edit in fix.edits:
        text = texts.get(edit.path or finding.path, "")
        digest.update(repr((edit.path, text[edit.start : edit.end], edit.text)).encode())
        digest.update(_function_text(text, text.count("\n", 0, edit.start) + 1).encode())
    own = texts.get(finding.path, "")
    digest.update(_function_text(own, finding.span.line).encode())
    digest.update(_function_named(own, (finding.kernel or "").split(".")[-1]).encode())
    return digest.hexdigest()[:32]


@lru_cache(maxsize=64)
def _functions(text: str) -> tuple[tuple[int, int, str], ...]:
    """First line, last line and name of each function, outer ones first."""
    try:
        tree = syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            found.append((first, node.end_lineno or node.lineno, node.name))
    return tuple(found)


def _function_text(text: str, line: int) -> str:
    """The text of the outermost function around a line, the line itself outside of functions."""
    lines = text.split("\n")
    for first, last, _ in _functions(text):
        if first <= line <= last:
            return "\n".join(lines[first - 1 : last])
    return lines[line - 1] if line <= len(lines) else ""


def _function_named(text: str, name: str) -> str:
    for first, last, known in _functions(text):
        if known == name:
            return "\n".join(text.split("\n")[first - 1 : last])
    return ""
