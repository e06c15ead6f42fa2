"""The runs of one history copied into another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from advisor.model.history.database import Database, Transaction, storable
from advisor.model.history.processes import is_alive
from advisor.model.history.queries import INSERT_FINGERPRINT, INSERT_KERNEL
from advisor.model.history.rows import FINGERPRINT_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from advisor.model.settings.check_options import Progress

# What makes two runs the same: nobody starts two of one kind in the same moment in one process.
_SAME = "started, kind, label, command, device, executed_on, process"
_COLUMNS = (
    "kind, label, command, started, ended, device, executed_on, toolchain, commit_id, dirty, status, metrics,"
    " notes, host, process"
)
_STATUS = _COLUMNS.split(", ").index("status")
_IDENTITIES = f"SELECT id, status, {_SAME} FROM runs ORDER BY id"
_RUN = f"SELECT {_COLUMNS} FROM runs WHERE id = ?"
_INSERT_RUN = f"INSERT INTO runs ({_COLUMNS}) VALUES ({', '.join('?' * len(_COLUMNS.split(',')))})"
_FINGERPRINTS = f"""
SELECT k.path, k.name, k.source, {", ".join(f"f.{name}" for name in FINGERPRINT_COLUMNS.split(", "))}
FROM fingerprints f JOIN kernels k ON k.id = f.kernel WHERE f.run = ? ORDER BY f.id
"""


@dataclass
class Copied:
    """How many runs were copied with how many fingerprints, were there already, or are still recorded."""

    copied: int = 0
    fingerprints: int = 0
    present: int = 0
    running: int = 0


def copy_history(source: Database, target: Database, progress: Progress | None = None) -> Copied:
    """Copy the runs that the target does not have, the oldest first, each in a transaction of its own.

    They get numbers of the target's. A copy that was broken off goes on where it was.
    """
    target.prepare()
    done = Copied()
    there = {tuple(row[2:]) for row in target.rows(_IDENTITIES)}
    runs = source.rows(_IDENTITIES)
    recording = source.recording()
    for at, (run, status, *same) in enumerate(runs):
        if progress is not None:
            progress("copying runs", at, len(runs))
        is_recorded = is_alive(same[-1]) if recording is None else run in recording
        if storable(same) in there:
            done.present += 1
        elif status == "running" and is_recorded:
            done.running += 1
        else:
            those = source.rows(_FINGERPRINTS, [run])
            (facts,) = source.rows(_RUN, [run])
            with target.transaction() as to:
                _insert(to, list(facts), those)
            done.copied += 1
            done.fingerprints += len(those)
    return done


def _insert(to: Transaction, facts: list[Any], those: Sequence[Sequence[Any]]) -> None:
    if facts[_STATUS] == "running":
        facts[_STATUS] = "broken off"
    number = to.insert(_INSERT_RUN, facts)
    kernels = sorted({tuple(row[:3]) for row in those})
    to.execute_many(INSERT_KERNEL, [(*kernel, number) for kernel in kernels])
    to.execute_many(INSERT_FINGERPRINT, [(number, *row[:3], number, *row[3:]) for row in those])
