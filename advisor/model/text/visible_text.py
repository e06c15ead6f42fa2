"""Text from outside with escapes in the place of characters that a terminal would obey."""

from __future__ import annotations

import re

# Control characters, direction overrides and lone surrogates: they could move the cursor, recolour or reorder
# what stands around them, or cannot be encoded at all.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def visible(text: str) -> str:
    """`text` with every unsafe character as an escape (`\\x1b`), so that it stays on one line."""
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def harmless(text: str) -> str:
    """`text` of several lines with every unsafe character but line ends and tabs as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(lambda found: found[0] if found[0] in "\n\t" else visible(found[0]), text)
