"""The list of findings on public Triton code that were judged by reading it."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

from advisor.config import Config
from advisor.rulebook import rulebook_for

JUDGED = json.loads((Path(__file__).parents[1] / "data" / "judged_triton_findings.json").read_text("utf-8"))


def test_each_entry_says_where_and_why() -> None:
    rules = {rule.id for rule in rulebook_for(Config()).rules}
    for one in JUDGED:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+", one["repository"])
        assert re.fullmatch(r"[0-9a-f]{40}", one["commit"])
        assert one["path"].endswith(".py") and one["line"] >= 1
        assert one["rule"] in rules
        assert one["verdict"] in ("right", "wrong") and len(one["reason"]) > 20


def test_enough_were_judged_and_enough_are_right() -> None:
    assert (
        len({(one["repository"], one["path"], one["line"], one["rule"]) for one in JUDGED})
        == len(JUDGED)
        >= 40
    )
    assert len({one["repository"] for one in JUDGED}) >= 4
    verdicts = Counter(one["verdict"] for one in JUDGED)
    assert verdicts["right"] / len(JUDGED) >= 0.9
