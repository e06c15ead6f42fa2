"""The lists of findings that readers judged are data that a page cites: complete and in agreement with it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema

from advisor.check.rulebook import rulebook_for
from advisor.model.settings.config import Config

ROOT = Path(__file__).resolve().parents[2]
LISTS: dict[str, list[dict[str, Any]]] = {
    file.name: json.loads(file.read_text("utf-8"))
    for file in sorted((ROOT / "tests/data/judged").glob("judged_*.json"))
}
ROW = {
    "type": "object",
    "properties": {
        "repository": {"pattern": r"^[\w.-]+/[\w.-]+$"},
        "commit": {"pattern": "^[0-9a-f]{40}$"},
        "path": {"pattern": r"\.(py|ipynb)$"},
        "cell": {"type": "integer", "minimum": 1},
        "line": {"type": "integer", "minimum": 1},
        "rule": {"type": "string"},
        "severity": {"enum": ["error", "warning", "info"]},
        "verdict": {"enum": ["right", "not worth", "unsure", "wrong"]},
        "reason": {"type": "string", "minLength": 20, "maxLength": 300},
    },
    "required": ["repository", "commit", "path", "line", "rule", "verdict", "reason"],
    "additionalProperties": False,
}


def test_each_row_says_where_what_and_why_and_no_place_is_judged_twice() -> None:
    assert len(LISTS) >= 16
    for name, rows in LISTS.items():
        jsonschema.validate(rows, {"type": "array", "minItems": 30, "items": ROW})
        places = Counter(
            (row["repository"], row["path"], row.get("cell"), row["line"], row["rule"]) for row in rows
        )
        assert [place for place, count in places.items() if count > 1] == [], name


def test_the_rules_are_those_of_today() -> None:
    rulebook = rulebook_for(Config())
    known = {rule.id for rule in rulebook.rules} | set(rulebook.renamed) | set(rulebook.retired)
    assert {
        (name, row["rule"]) for name, rows in LISTS.items() for row in rows if row["rule"] not in known
    } == set()


def test_the_page_gives_their_counts() -> None:
    page = (ROOT / "docs/quality/judgement.md").read_text("utf-8")
    for name, rows in LISTS.items():
        found = Counter(row["verdict"] for row in rows)
        right, unsure, wrong = (found[verdict] for verdict in ("right", "unsure", "wrong"))
        row, sentence = f"| {right} | {unsure} | {wrong} |", f"{right} right, {unsure} unsure, {wrong} wrong"
        assert row in page or sentence in page or f"{right} had been called right" in page, name
