"""An analysis that is kept from edit to edit, beside a new one of the same text."""

from __future__ import annotations

import random
from pathlib import Path

from advisor.evidence.source.analysis import SourceEvidence, analyse
from advisor.evidence.source.incremental_analysis import IncrementalAnalysis
from advisor.model.text.source_text import SourceText


def content(found: SourceEvidence) -> list[tuple[object, ...]]:
    """What an analysis says of its records, in comparable form."""
    return [
        (one.entity, one.key, one.path, one.span, one.label, one.owner, dict(one.readings))
        for one in found.records
    ]


def says_the_same(kept: IncrementalAnalysis, folder: Path, text: str) -> bool:
    """Whether the text parses; fails where both analyses differ."""
    source = SourceText("k.py", text)
    found = kept.analyse(source)
    if found is None:
        return False
    assert content(found) == content(analyse([], folder, stdin=(folder / "k.py", source)))
    return True


def says_the_same_after_random_edits(file: Path, folder: Path, edits: int) -> None:
    """Delete and repeat lines of a file until so many texts parsed; fails where both analyses differ."""
    rng = random.Random(file.stem)
    kept = IncrementalAnalysis(folder, folder / "k.py")
    text, done = file.read_text("utf-8"), 0
    assert says_the_same(kept, folder, text)
    while done < edits:
        lines = text.split("\n")
        at = rng.randrange(len(lines))
        if rng.random() < 0.6:
            del lines[at : at + rng.choice([1, 2])]
        else:
            lines.insert(at, rng.choice(lines))
        changed = "\n".join(lines)
        if says_the_same(kept, folder, changed):
            text, done = changed, done + 1
