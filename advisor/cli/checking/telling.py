"""What the program says to its user beside its output: names of files and kernels in it come from anybody."""

from __future__ import annotations

import sys

from advisor.model.text.visible_text import harmless


def tell(text: str) -> None:
    """Write lines to standard error, with escapes in the place of what a terminal would obey."""
    print(harmless(text), file=sys.stderr)


def say(text: str) -> None:
    """Write lines to standard output, with escapes in the place of what a terminal would obey."""
    print(harmless(text))
