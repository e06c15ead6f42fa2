"""Which code actions apply a fix."""

from __future__ import annotations

from typing import Any

_OTHERS = ("Ignore ", "Explain ", "Apply all ")


def fixes(actions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The actions that apply one fix."""
    return [one for one in actions if "disabled" not in one and not one["title"].startswith(_OTHERS)]


def titled(actions: list[dict[str, Any]], start: str) -> list[dict[str, Any]]:
    """The actions whose title begins so."""
    return [one for one in actions if one["title"].startswith(start)]
