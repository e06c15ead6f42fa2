"""Findings in short: place, message, numbers with units, gain, the fix as edits, proof, source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

# The text of a file by its path from the root, None where it cannot be had.
TextOf = Callable[[str], str | None]


@dataclass(frozen=True)
class Number:
    """A number that a finding rests on, what it was compared with, and which evidence it comes from."""

    name: str
    value: bool | int | float | str | None
    unit: str
    threshold: bool | int | float | str | None
    source: str


@dataclass(frozen=True)
class EditOfText:
    """The characters `start` to `end` (exclusive) of a file, which are `old`, and what replaces them."""

    path: str
    start: int
    end: int
    old: str | None
    text: str


@dataclass(frozen=True)
class OfferedFix:
    """A fix, under which condition results stay the same, its edits (all or none), and what a proof found."""

    id: str
    title: str
    safety: str
    condition: str
    edits: list[EditOfText]
    proof: str | None = None


@dataclass(frozen=True)
class Gain:
    """How many times as fast, the interval of a prediction, and what says so."""

    speedup: float | None
    basis: str
    interval: list[float | None] | None = None


@dataclass(frozen=True)
class ShortFinding:
    """One cause of slowness or fault, at the line where it is worst; `other_lines` are its further places."""

    rule: str
    severity: str
    confidence: str
    path: str
    line: int
    column: int
    kernel: str | None
    message: str
    numbers: list[Number]
    gain: Gain | None
    advice: list[str]
    fixes: list[OfferedFix]
    assumptions: list[str]
    other_lines: list[str]
    source: str


@dataclass(frozen=True)
class Trouble:
    """What could not be looked at, and why."""

    path: str
    line: int
    message: str


def short_finding(found: Mapping[str, Any], text_of: TextOf) -> ShortFinding:
    """A finding of the report of `advisor check`, in short."""
    return ShortFinding(
        rule=found["rule"],
        severity=found["severity"],
        confidence=found["confidence"],
        path=found["path"],
        line=found["line"],
        column=found["column"],
        kernel=found["kernel"],
        message=found["message"],
        numbers=[
            Number(one["metric"], one["value"], one["unit"], one["threshold"], one["source"])
            for one in found["evidence"]
        ],
        gain=_gain(found["gain"]),
        advice=list(found["advice"])[:2],
        fixes=[offered_fix(one, found["path"], text_of) for one in found["fixes"] if one.get("edits")],
        assumptions=list(found["assumptions"]),
        other_lines=[f"{one['path']}:{one['line']}" for one in found["places"]],
        source=found["url"],
    )


def _gain(gain: Mapping[str, Any] | None) -> Gain | None:
    return None if gain is None else Gain(gain["speedup"], gain["basis"], gain.get("interval"))


def offered_fix(fix: Mapping[str, Any], path: str, text_of: TextOf) -> OfferedFix:
    """A fix of a finding in `path`, its edits with the text that they replace."""
    edits = []
    for one in fix["edits"]:
        own = one.get("path") or path
        text = None if "cell" in one else text_of(own)
        old = None if text is None else text[one["start"] : one["end"]]
        edits.append(EditOfText(own, one["start"], one["end"], old, one["text"]))
    proof = fix.get("proof")
    told = None if proof is None else f"{proof['verdict']}, {proof['evidence']}: {proof['detail']}"
    return OfferedFix(fix["id"], fix["title"], fix["safety"], fix["condition"], edits, told)


def troubles(report: Mapping[str, Any]) -> list[Trouble]:
    """What a report could not look at."""
    return [Trouble(one["path"], one["line"], one["message"]) for one in report["errors"]]
