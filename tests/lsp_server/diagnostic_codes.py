"""The rules that diagnostics are of."""

from __future__ import annotations

from typing import Any


def codes(diagnostics: list[dict[str, Any]]) -> list[str]:
    """The rules of the diagnostics, sorted."""
    return sorted(item["code"] for item in diagnostics)
