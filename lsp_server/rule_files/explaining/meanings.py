"""What the words of the rule language mean, from `grammar/words.toml`."""

from __future__ import annotations

import sys
from functools import cache

from advisor.model.data_files import grammar_folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@cache
def meanings() -> dict[str, dict[str, str]]:
    """The meanings of words by their kind: items, clauses, functions and other words."""
    loaded: dict[str, dict[str, str]] = tomllib.loads((grammar_folder() / "words.toml").read_text("utf-8"))
    return loaded


def meaning_of(word: str, kind: str = "") -> str:
    """What a word means, of one kind or of any; "" for one that has no meaning of its own."""
    found = (group[word] for name, group in meanings().items() if word in group and kind in ("", name))
    return next(found, "")
