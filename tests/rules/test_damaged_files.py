"""Damaged rule files end in the language's own errors: no crash, no hang."""

from __future__ import annotations

import random
import re
import time

import pytest

from advisor.data_files import knowledge_folder
from advisor.rules import RuleErrors, rulebook_from_texts

_INPUTS = 2000
_SHARDS = 8
_MOST_SECONDS = 5.0
METRICS = [
    (f"metrics/{file.name}", file.read_text("utf-8"))
    for file in sorted((knowledge_folder() / "metrics").glob("*.rules"))
]
RULES = [file.read_text("utf-8") for file in sorted((knowledge_folder() / "rules").rglob("*.rules"))]
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")


def damaged(text: str, chance: random.Random) -> str:
    words = _WORDS.findall(text)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(words))
        kind = chance.randrange(6)
        if kind == 0:
            del words[at]
        elif kind == 1:
            words.insert(at, chance.choice(words))
        elif kind == 2:
            other = chance.randrange(len(words))
            words[at], words[other] = words[other], words[at]
        elif kind == 3:
            words = words[: at + 1]
        elif kind == 4:
            words[at] = "".join(chr(chance.randrange(32, 0x2FF)) for _ in range(chance.randint(1, 4)))
        else:
            noise = bytes(chance.randrange(256) for _ in range(chance.randint(1, 12)))
            words.insert(at, noise.decode("utf-8", "replace"))
    return "".join(words)


@pytest.mark.parametrize("shard", range(_SHARDS))
def test_damage_is_told_and_never_crashes(shard: int) -> None:
    chance = random.Random(shard)
    refused = 0
    for _ in range(_INPUTS // _SHARDS):
        text = damaged(chance.choice(RULES), chance)
        began = time.perf_counter()
        try:
            rulebook_from_texts([*METRICS, ("rules/memory/damaged.rules", text)])
        except RuleErrors as errors:
            refused += 1
            assert all(error.sentence and error.span.line >= 1 for error in errors.errors)
            assert "damaged.rules:" in str(errors)
        assert time.perf_counter() - began < _MOST_SECONDS, text
    assert refused > _INPUTS // _SHARDS // 2
