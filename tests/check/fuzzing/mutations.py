"""Inputs made of real ones: bytes flipped, ends lost, fields swapped, huge numbers, deep nesting."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from hypothesis import strategies as st

_NUMBER = re.compile(rb"\d+(?:\.\d+)?")
_FIELD = re.compile(rb"[^,;\s\"{}\[\]()<>=:]+")
_NUMBERS = (
    b"0", b"-1", b"1e999", b"-1e308", b"1e-400", b"nan", b"NaN", b"Infinity", b"-inf", b"9" * 25, b"9" * 5000,
    b"18446744073709551616", b"2147483648", b"0x", b"1_0", b"1.2.3", b"\xd9\xa3", b"00", b"true", b"null",
)  # fmt: skip
_PIECES = (
    b"\0", b"\x1b[31m", b"\x9b2J", b"\r", b"\n", b"\r\n", b'"', b"'", b",", b";", b"\\",
    b"\\u0000", b"\\ud800",
    b"\xff", b"\xef\xbb\xbf", b"\xe2\x80\xae", b"\xed\xa0\x80", b"<script>alert(1)</script>",
    b"../../../etc/passwd",
    b"{{ 7*7 }}", b"{0.__class__}", b"%s%n", b"$(touch x)", b"(", b")", b"[", b"]", b"{", b"}", b"*/", b"/*",
    b"//",
    "🚀".encode(), "İ".encode(), b"==", b"\t",
)  # fmt: skip
_NESTS = (
    (b"[", b"]"), (b"{", b"}"), (b"(", b")"), (b'{"a":', b"}"), (b"-", b""), (b"not ", b""), (b"[[", b"]"),
    (b"<", b">"), (b"a.", b""),
)  # fmt: skip
_MOST = 200_000


def _flipped(data: bytearray, chance: Random) -> bytes:
    for _ in range(chance.choice((1, 1, 2, 8, 40))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def _cut(data: bytearray, chance: Random) -> bytes:
    return bytes(data[: chance.randrange(len(data))])


def _lost(data: bytearray, chance: Random) -> bytes:
    at = chance.randrange(len(data))
    return bytes(data[:at] + data[at + chance.choice((1, 2, 10, 200)) :])


def _twice(data: bytearray, chance: Random) -> bytes:
    at = chance.randrange(len(data))
    piece = data[at : at + chance.choice((1, 10, 300))]
    return bytes(data[:at] + piece * chance.choice((2, 2, 3, 200)) + data[at:])


def _swapped(data: bytearray, chance: Random) -> bytes:
    fields = list(_FIELD.finditer(data))
    if len(fields) < 2:
        return bytes(data)
    one, other = sorted(chance.sample(fields, 2), key=lambda found: found.start())
    return bytes(
        data[: one.start()] + other[0] + data[one.end() : other.start()] + one[0] + data[other.end() :]
    )


def _number(data: bytearray, chance: Random) -> bytes:
    numbers = list(_NUMBER.finditer(data))
    if not numbers:
        return bytes(data)
    found = chance.choice(numbers)
    return bytes(data[: found.start()] + chance.choice(_NUMBERS) + data[found.end() :])


def _field(data: bytearray, chance: Random) -> bytes:
    fields = list(_FIELD.finditer(data))
    if not fields:
        return bytes(data)
    found = chance.choice(fields)
    other = chance.choice((chance.choice(fields)[0], chance.choice(_NUMBERS), chance.choice(_PIECES), b""))
    return bytes(data[: found.start()] + other + data[found.end() :])


def _piece(data: bytearray, chance: Random) -> bytes:
    at = chance.randrange(len(data))
    return bytes(data[:at] + chance.choice(_PIECES) + data[at:])


def _nested(data: bytearray, chance: Random) -> bytes:
    at, depth = chance.randrange(len(data)), chance.choice((3, 60, 900, 20_000))
    opens, closes = chance.choice(_NESTS)
    end = min(len(data), at + chance.choice((0, 1, 20)))
    return bytes(data[:at] + opens * depth + data[at:end] + closes * depth + data[end:])


def _lines(data: bytearray, chance: Random) -> bytes:
    lines = bytes(data).splitlines(keepends=True)
    if len(lines) < 2:
        return bytes(data)
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    if chance.random() < 0.3:
        del lines[chance.randrange(len(lines))]
    return b"".join(lines)


_STEPS: tuple[Callable[[bytearray, Random], bytes], ...] = (
    _flipped, _cut, _lost, _twice, _swapped, _number, _number, _field, _field, _piece, _nested, _lines,
)  # fmt: skip


def mutated(data: bytes, steps: list[tuple[int, int]]) -> bytes:
    """The data after some steps: each is which of them, and the number that its chance begins with."""
    for step, seed in steps:
        if data:
            data = _STEPS[step](bytearray(data), Random(seed))[:_MOST]
    return data


def steps(most: int = 4) -> st.SearchStrategy[list[tuple[int, int]]]:
    """One to `most` steps of `mutated`."""
    one = st.tuples(st.integers(0, len(_STEPS) - 1), st.integers(0, 2**32 - 1))
    return st.lists(one, min_size=1, max_size=most)
