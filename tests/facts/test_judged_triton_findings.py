"""The lists of findings on public Triton code that were judged by reading it."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from advisor.check.rulebook import rulebook_for
from advisor.model.settings.config import Config

DATA = Path(__file__).parents[1] / "data"
JUDGED = json.loads((DATA / "judged_triton_findings.json").read_text("utf-8"))
# Drawn from 32 repositories on which no rule was tuned, with the rules as they were then.
OUTSIDE = json.loads((DATA / "judged_triton_findings_2.json").read_text("utf-8"))


@pytest.mark.parametrize(("judged", "verdicts"), [(JUDGED, 2), (OUTSIDE, 3)], ids=["known", "outside"])
def test_each_entry_says_where_and_why(judged: list[dict[str, Any]], verdicts: int) -> None:
    rules = {rule.id for rule in rulebook_for(Config()).rules}
    for one in judged:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+", one["repository"])
        assert re.fullmatch(r"[0-9a-f]{40}", one["commit"])
        assert one["path"].endswith((".py", ".ipynb")) and one["line"] >= 1
        assert one["rule"] in rules
        assert one["verdict"] in ("right", "wrong", "unsure")[:verdicts] and len(one["reason"]) > 20


def test_enough_were_judged_and_enough_are_right() -> None:
    assert (
        len({(one["repository"], one["path"], one["line"], one["rule"]) for one in JUDGED})
        == len(JUDGED)
        >= 40
    )
    assert len({one["repository"] for one in JUDGED}) >= 4
    verdicts = Counter(one["verdict"] for one in JUDGED)
    assert verdicts["right"] / len(JUDGED) >= 0.9


def test_those_from_outside_are_counted_as_they_were_judged() -> None:
    places = {(one["repository"], one["path"], one["line"], one["rule"]) for one in OUTSIDE}
    assert len(places) == len(OUTSIDE) == 34
    assert Counter(one["verdict"] for one in OUTSIDE) == {"right": 15, "unsure": 2, "wrong": 17}
    assert len({one["repository"] for one in OUTSIDE}) >= 10
