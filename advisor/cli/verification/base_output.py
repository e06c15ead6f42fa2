"""Files compared with their earlier selves, for people and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from advisor.cli.verification.verification_output import judgement_object, times_in_words

if TYPE_CHECKING:
    from advisor.runs.verification.earlier_version import ProvenFile


def as_text(files: Sequence[ProvenFile], base: str) -> str:
    """A verdict for each file, with its times and how the outputs agree."""
    lines = [f"Compared with {base}", ""]
    for one in files:
        judgement = one.judgement
        ratio = judgement.speedup if judgement.verdict != "cannot tell" else None
        times = "" if ratio is None else f" ({ratio:.2f} x)"
        lines.append(f"{one.path}: {judgement.verdict}{times}, {judgement.evidence}")
        lines += [f"  {text}" for text in (times_in_words(judgement), judgement.detail) if text]
    return "\n".join(lines)


def as_json(files: Sequence[ProvenFile], base: str) -> str:
    """The verdicts as a JSON object."""
    data = [
        {"path": one.path, "workloads": list(one.workloads)} | judgement_object(one.judgement)
        for one in files
    ]
    return json.dumps({"version": 1, "base": base, "files": data}, indent=2)
