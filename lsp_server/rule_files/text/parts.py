"""The items of a rule file and the clauses of its rules, found without parsing anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from advisor.rules.language.chunks import CLAUSES, ITEMS
from lsp_server.rule_files.text.words import Word

_LEVELS = ("info", "warning", "error")


@dataclass(frozen=True, slots=True)
class Part:
    """An item or a clause: its first word, and all its words without comments.

    `name` is the word after the first, where there is one; `parts` are the clauses of a rule; `braces` says
    whether an opening and a closing brace of its own are among the words.
    """

    kind: str
    words: tuple[Word, ...]
    end: int
    doc: str = ""
    parts: tuple[Part, ...] = ()
    braces: tuple[bool, bool] = (False, False)

    @property
    def start(self) -> int:
        """Where it begins."""
        return self.words[0].start

    @property
    def name(self) -> Word | None:
        """The word after the first."""
        return self.words[1] if len(self.words) > 1 else None


def items_of(text: str, words: Sequence[Word]) -> list[Part]:
    """The items of a text.

    An item begins at its keyword outside of all braces, or at the beginning of a line whatever is open.
    """
    starts: list[tuple[int, str]] = []
    depth, docs, first = 0, list[str](), True
    for place, word in enumerate(words):
        if word.kind == "doc":
            docs.append(word.text[3:].strip())
        if word.kind in ("doc", "comment"):
            continue
        if word.kind == "word" and word.text in ITEMS and (_at_margin(text, word) or (depth <= 0 and first)):
            starts.append((place, "\n".join(docs)))
            depth = 0
        docs = []
        depth = max(depth + {"{": 1, "}": -1}.get(word.text, 0), 0) if word.kind == "mark" else depth
        following = words[place + 1].start if place + 1 < len(words) else len(text)
        first = "\n" in text[word.end : following] or (word.text == "}" and depth == 0)
    ends = [*(place for place, _ in starts), len(words)][1:]
    return [
        _item(words[place:end], doc, words[end].start if end < len(words) else len(text))
        for (place, doc), end in zip(starts, ends, strict=True)
    ]


def _item(words: Sequence[Word], doc: str, limit: int) -> Part:
    own = tuple(word for word in words if word.kind not in ("doc", "comment"))
    opened = next((at for at, word in enumerate(own) if word.text == "{" and word.kind == "mark"), None)
    if opened is None:
        return Part(own[0].text, own, limit, doc)
    closed = _closing(own, opened)
    inner = own[opened + 1 : closed]
    end = own[closed].end if closed is not None else limit
    parts = tuple(_clauses(inner, own[closed].start if closed is not None else limit))
    found = parts if own[0].text == "rule" else ()
    return Part(own[0].text, own, end, doc, found, (True, closed is not None))


def _closing(words: Sequence[Word], opened: int) -> int | None:
    depth = 0
    for at in range(opened, len(words)):
        if words[at].kind == "mark":
            depth += {"{": 1, "}": -1}.get(words[at].text, 0)
            if depth == 0:
                return at
    return None


def _clauses(words: Sequence[Word], limit: int) -> Iterator[Part]:
    # No name is called like a clause, so that one begins at its word whatever brace is open.
    starts = [
        at
        for at, word in enumerate(words)
        if word.kind == "word" and word.text in CLAUSES and not _is_assumed(words, at)
    ]
    ends = [*starts, len(words)][1:]
    for start, end in zip(starts, ends, strict=True):
        yield Part(
            words[start].text, tuple(words[start:end]), words[end].start if end < len(words) else limit
        )


def _is_assumed(words: Sequence[Word], at: int) -> bool:
    """Whether a `when` is that of `severity warning, info when assumed`."""
    return words[at].text == "when" and at > 1 and words[at - 1].text in _LEVELS and words[at - 2].text == ","


def _at_margin(text: str, word: Word) -> bool:
    return word.start == 0 or text[word.start - 1] == "\n"
