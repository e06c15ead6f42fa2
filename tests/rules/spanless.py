"""Parts of rulebooks compared apart from where they stand."""

from __future__ import annotations

import re


def without_spans(part: object) -> str:
    """What a part of a rulebook says, without the places where it does."""
    return re.sub(r"Span\([^)]*\)", "", repr(part))
