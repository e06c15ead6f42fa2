"""What a kept survey says of host code, edit by edit, is what a new survey says."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from advisor.evidence.source.incremental_survey import IncrementalSurvey
from advisor.evidence.source.survey import Survey, survey
from advisor.model.text.source_text import SourceText

EXAMPLES = sorted((Path(__file__).parents[3] / "annotated" / "examples").glob("host_*.py"))


def content(found: Survey) -> list[tuple[object, ...]]:
    return [
        (one.entity, one.key, one.span, one.label, one.owner, dict(one.readings)) for one in found.records
    ]


def says_the_same(kept: IncrementalSurvey, folder: Path, text: str) -> bool:
    """Whether the text parses; fails where both surveys differ."""
    source = SourceText("k.py", text)
    found = kept.survey(source)
    if found is None:
        return False
    assert content(found) == content(survey([], folder, stdin=(folder / "k.py", source)))
    return True


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_random_edits_of_host_code(file: Path, tmp_path: Path) -> None:
    rng = random.Random(file.stem)
    kept = IncrementalSurvey(tmp_path, tmp_path / "k.py")
    text, done = file.read_text("utf-8"), 0
    assert says_the_same(kept, tmp_path, text)
    while done < 8:
        lines = text.split("\n")
        at = rng.randrange(len(lines))
        if rng.random() < 0.6:
            del lines[at : at + rng.choice([1, 2])]
        else:
            lines.insert(at, rng.choice(lines))
        changed = "\n".join(lines)
        if says_the_same(kept, tmp_path, changed):
            text, done = changed, done + 1


def test_a_word_that_speaks_of_the_whole_file_counts_wherever_it_stands(tmp_path: Path) -> None:
    text = "def run(loader):\n    for x in loader:\n        y = x.cuda()\n        print(y)\n"
    kept = IncrementalSurvey(tmp_path, tmp_path / "k.py")
    assert says_the_same(kept, tmp_path, text)
    assert says_the_same(kept, tmp_path, text + "\n\nimport torch\n")
    assert says_the_same(kept, tmp_path, text)
