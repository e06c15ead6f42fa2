"""Remarks: a stable code, a place, a sentence, what to do, and where certain the text to put there."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache

from advisor.model.data_files import grammar_folder
from advisor.model.text.source_text import Span
from advisor.rules.model import Rule

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True, slots=True)
class Remark:
    """One remark; `replacement` is the text for its span where that fixes it, else None."""

    code: str
    path: str
    span: Span
    sentence: str
    help: str
    replacement: str | None = None

    @property
    def name(self) -> str:
        """The remark's name in words."""
        return _texts()[self.code]["name"]


@cache
def _texts() -> dict[str, dict[str, str]]:
    loaded: dict[str, dict[str, str]] = tomllib.loads((grammar_folder() / "lint.toml").read_text("utf-8"))
    return loaded


def remark_codes() -> list[str]:
    """The codes of all remarks."""
    return sorted(_texts())


def explanation(code: str) -> str:
    """Why a kind of remark is made."""
    return _texts()[code]["why"]


def shown_as(code: str) -> str:
    """How an editor shows a kind of remark: "warning" or "hint"."""
    return _texts()[code]["level"]


def remark(code: str, path: str, span: Span, **fields: object) -> Remark:
    """A remark with its texts filled in."""
    texts = _texts()[code]
    return Remark(code, path, span, texts["say"].format(**fields), texts["help"].format(**fields))


def of_rule(code: str, rule: Rule, span: Span | None = None, **fields: object) -> Remark:
    """A remark about a rule, at its name where no other place is given."""
    return remark(code, rule.path, span or rule.span, rule=rule.id, **fields)
