"""Text from outside made safe for a terminal, and wrapped to its width."""

from __future__ import annotations

import re
import textwrap

from advisor.model.text.visible_text import visible

_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z`])")


def one_line(text: str) -> str:
    """`text` on one line: runs of blanks and line ends as one blank, other unsafe characters as escapes."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    return visible(" ".join(text.split()))


def paragraph(text: str, width: int, first: str = "", rest: str | None = None) -> list[str]:
    """The lines of `text`, `width` columns wide, behind `first` and on later lines behind `rest`.

    `rest` defaults to blanks as wide as `first`. Long words are not broken, and 20 columns are always used.
    """
    text = one_line(text)
    rest = " " * len(first) if rest is None else rest
    if len(first) + len(text) <= width:
        return [first + text]
    return textwrap.wrap(
        text,
        max(width, len(first) + 20),
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def paragraph_within(text: str, width: int, most: int, first: str = "", rest: str | None = None) -> list[str]:
    """The lines of `paragraph`, at most `most`: the sentences that fit, or else the words, and `...`."""
    whole = paragraph(text, width, first, rest)
    if len(whole) <= most:
        return whole
    sentences = _SENTENCE_END.split(one_line(text))
    for count in range(len(sentences) - 1, 0, -1):
        shorter = paragraph(" ".join(sentences[:count]), width, first, rest)
        if len(shorter) <= most:
            return shorter
    return textwrap.wrap(
        one_line(text),
        max(width, len(first) + 20),
        initial_indent=first,
        subsequent_indent=" " * len(first) if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
        max_lines=most,
        placeholder=" ...",
    )
