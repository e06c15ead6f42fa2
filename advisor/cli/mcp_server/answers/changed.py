"""The answers of `what_if` and `verify`: what an edit changes, and whether it is proven."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from advisor.cli.mcp_server.answers.findings import ShortFinding, Trouble, short_finding, troubles


@dataclass(frozen=True)
class TimeOfKernel:
    """The predicted times of a kernel before and after, of its launches or of one element."""

    path: str
    kernel: str
    time_of: str
    before_ms: float
    after_ms: float
    speedup: float
    speedup_interval: list[float]
    verdict: str
    doubt: str | None


@dataclass(frozen=True)
class WhatIfAnswer:
    """What the edits would change, predicted and not proven: nothing was written."""

    device: str
    new: list[ShortFinding]
    gone: list[str]
    stay: int
    times: list[TimeOfKernel]
    errors: list[Trouble]
    notices: list[str]


def what_if_answer(changes: Mapping[str, Any]) -> WhatIfAnswer:
    """The output of `advisor diff --base-folder` in short."""
    return WhatIfAnswer(
        device=changes["device"],
        # Edits of what is no file yet would mislead.
        new=[short_finding({**one, "fixes": []}, lambda _: None) for one in changes["new"]],
        gone=[f"{one['path']}:{one['line']} {one['rule']}: {one['message']}" for one in changes["gone"]],
        stay=changes["kept"],
        times=[TimeOfKernel(**one) for one in changes["times"]],
        errors=troubles(changes),
        notices=list(changes["notices"]),
    )


@dataclass(frozen=True)
class Proof:
    """What was run and compared: the verdict, the times of the kernels, how outputs agree, and what decided.

    A fix that `advisor` offers has its `fix` and `rules`; an edit of the client's has neither.
    """

    path: str
    verdict: str
    speedup: float | None
    speedup_interval: list[float | None] | None
    before_ms: float | None
    after_ms: float | None
    outputs: str | None
    largest_difference: float | None
    detail: str
    evidence: str
    kernel: str | None = None
    lines: list[int] = field(default_factory=list)
    fix: str | None = None
    title: str | None = None
    rules: list[str] = field(default_factory=list)
    workloads: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class VerifyAnswer:
    """The proofs, and whether each of them shows an improvement with equal results."""

    proven: bool
    proofs: list[Proof]
    errors: list[Trouble]


_FIELDS = frozenset(Proof.__dataclass_fields__)


def verify_answer(found: Mapping[str, Any]) -> VerifyAnswer:
    """The output of `advisor verify`, of offered fixes or of files beside their earlier selves."""
    entries = found["fixes"] if "fixes" in found else found["files"]
    proofs = [Proof(**{name: value for name, value in one.items() if name in _FIELDS}) for one in entries]
    better = [one.verdict.endswith("faster") for one in proofs]
    return VerifyAnswer(bool(better) and all(better), proofs, troubles({"errors": found.get("errors", [])}))
