"""Reads the annotations of the examples: `# hit: rule[, rule]` and `# ok: rule[, rule]` behind a line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

EXAMPLES = Path(__file__).parent / "examples"
_MARK = re.compile(r"# (hit|ok): ([a-z0-9-]+(?:, [a-z0-9-]+)*)(?=\s*(?:#|$))")


@dataclass(frozen=True)
class Mark:
    """What is expected of one rule at one line."""

    expected: str
    rule: str
    line: int


def read_marks(file: Path) -> list[Mark]:
    """The marks of a file in order of line; raises ValueError for a misspelt one."""
    marks = []
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        found = [
            Mark(match[1], rule, number) for match in _MARK.finditer(line) for rule in match[2].split(", ")
        ]
        if len(_MARK.findall(line)) != len(re.findall(r"#\s*(?:hit|ok)\b", line)):
            raise ValueError(f"{file.name}:{number}: this annotation cannot be read: {line.strip()}")
        marks += found
    return marks
