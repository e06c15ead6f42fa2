"""The findings of public code that were judged by hand: sixty drawn by chance, and how many are right.

The second list is that of a reader who had no part in the rules; most of its wrong findings have been mended
since. The third is the same reader's, drawn after that. The fourth are findings of code outside of the
corpus, as they were when it was first read. The fifth was drawn from all findings of the corpus by another
reader, who had no part in the rules either. The sixth was drawn from what nobody had judged and read by two
others, the seventh after the first of the changes that followed, the eighth to the tenth each after more of
them, each by a reader who had seen none of the lists.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from advisor.check.rulebook import rulebook_for
from advisor.model.settings.config import Config

DATA = Path(__file__).parent.parent / "data"
JUDGED = json.loads((DATA / "judged_findings.json").read_text("utf-8"))
INDEPENDENT = json.loads((DATA / "judged_findings_2.json").read_text("utf-8"))
AFTERWARDS = json.loads((DATA / "judged_findings_3.json").read_text("utf-8"))
OUTSIDE = json.loads((DATA / "judged_findings_4.json").read_text("utf-8"))
ANOTHER = json.loads((DATA / "judged_findings_5.json").read_text("utf-8"))
NOBODY_HAD = json.loads((DATA / "judged_findings_6.json").read_text("utf-8"))
BETWEEN = json.loads((DATA / "judged_findings_7.json").read_text("utf-8"))
AFTER_MORE, NINTH, LAST = (
    json.loads((DATA / f"judged_findings_{number}.json").read_text("utf-8")) for number in (8, 9, 10)
)
EVERY = [
    *JUDGED,
    *INDEPENDENT,
    *AFTERWARDS,
    *OUTSIDE,
    *ANOTHER,
    *NOBODY_HAD,
    *BETWEEN,
    *AFTER_MORE,
    *NINTH,
    *LAST,
]
FIELDS = {"repository", "commit", "path", "line", "rule", "verdict", "reason"}


@pytest.mark.parametrize(
    ("judged", "least"),
    [
        (JUDGED, 60),
        (INDEPENDENT, 60),
        (AFTERWARDS, 34),
        (OUTSIDE, 41),
        (ANOTHER, 60),
        (NOBODY_HAD, 64),
        (BETWEEN, 40),
        (AFTER_MORE, 60),
        (NINTH, 60),
        (LAST, 60),
    ],
)
def test_sixty_findings_were_judged(judged: list[dict[str, str | int]], least: int) -> None:
    assert len(judged) >= least
    places = [(row["repository"], row["path"], row.get("cell"), row["line"], row["rule"]) for row in judged]
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("row", EVERY, ids=lambda row: f"{row['path']}:{row['line']}:{row['rule']}")
def test_each_says_where_what_and_why(row: dict[str, str | int]) -> None:
    assert row.keys() - {"cell"} == FIELDS
    assert re.fullmatch(r"[\w.-]+/[\w.-]+", str(row["repository"]))
    assert re.fullmatch(r"[0-9a-f]{40}", str(row["commit"]))
    assert str(row["path"]).endswith((".py", ".ipynb"))
    assert int(row["line"]) >= 1
    assert row["verdict"] in ("right", "wrong", "unsure")
    assert 20 <= len(str(row["reason"])) <= 300


def test_the_rules_are_those_of_today() -> None:
    shipped = {rule.id for rule in rulebook_for(Config()).rules}
    assert {row["rule"] for row in EVERY} <= shipped


def test_nine_of_ten_are_right() -> None:
    verdicts = Counter(row["verdict"] for row in JUDGED)
    assert verdicts["right"] >= 0.9 * len(JUDGED)
    assert verdicts["wrong"] <= 0.05 * len(JUDGED)


@pytest.mark.parametrize("judged", [INDEPENDENT, AFTERWARDS, OUTSIDE, ANOTHER])
def test_the_page_gives_the_independent_count(judged: list[dict[str, str | int]]) -> None:
    verdicts = Counter(row["verdict"] for row in judged)
    page = (DATA.parents[1] / "docs" / "judgement.md").read_text("utf-8")
    assert f"| {verdicts['right']} | {verdicts['unsure']} | {verdicts['wrong']} |" in page


def test_four_of_five_are_right_for_a_reader_who_had_no_part_in_the_rules() -> None:
    verdicts = Counter(row["verdict"] for row in LAST)
    assert verdicts["right"] >= 0.8 * len(LAST)
    assert verdicts["wrong"] <= 0.05 * len(LAST)
