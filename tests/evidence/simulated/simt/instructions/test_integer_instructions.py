"""Integer and bit instructions against Python's integers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from single_instruction import Case, check


def integer_cases() -> list[Case]:
    found = []
    for kind in ("u32", "s32", "u64", "s64", "u16", "s16"):
        width = int(kind[1:])
        pair, bits = f"{kind} {kind}", f"b{width}"
        low = "lo."
        found += [
            Case(f"add.{kind} {{d}}, {{a}}, {{b}};", pair, kind, lambda a, b: a + b),
            Case(f"sub.{kind} {{d}}, {{a}}, {{b}};", pair, kind, lambda a, b: a - b),
            Case(f"mul.{low}{kind} {{d}}, {{a}}, {{b}};", pair, kind, lambda a, b: a * b),
            Case(f"mul.hi.{kind} {{d}}, {{a}}, {{b}};", pair, kind, lambda a, b, w=width: (a * b) >> w),
            Case(
                f"mad.lo.{kind} {{d}}, {{a}}, {{b}}, {{c}};",
                f"{pair} {kind}",
                kind,
                lambda a, b, c: a * b + c,
            ),
            Case(f"min.{kind} {{d}}, {{a}}, {{b}};", pair, kind, min),
            Case(f"max.{kind} {{d}}, {{a}}, {{b}};", pair, kind, max),
            Case(f"div.{kind} {{d}}, {{a}}, {{b}};", pair, kind, lambda a, b: quotient(a, b) if b else None),
            Case(
                f"rem.{kind} {{d}}, {{a}}, {{b}};",
                pair,
                kind,
                lambda a, b: a - quotient(a, b) * b if b else None,
            ),
            Case(f"and.{bits} {{d}}, {{a}}, {{b}};", pair, kind, lambda a, b: a & b),
            Case(f"or.{bits} {{d}}, {{a}}, {{b}};", pair, kind, lambda a, b: a | b),
            Case(f"xor.{bits} {{d}}, {{a}}, {{b}};", pair, kind, lambda a, b: a ^ b),
            Case(f"not.{bits} {{d}}, {{a}};", kind, kind, lambda a: ~a),
            Case(
                f"shl.{bits} {{d}}, {{a}}, {{b}};",
                f"{kind} u32",
                kind,
                lambda a, b, w=width: a << b if b < w else 0,
            ),
            Case(
                f"shr.{kind} {{d}}, {{a}}, {{b}};", f"{kind} u32", kind, lambda a, b, w=width: a >> min(b, w)
            ),
        ]
        if kind[0] == "s":
            found += [
                Case(f"abs.{kind} {{d}}, {{a}};", kind, kind, abs),
                Case(f"neg.{kind} {{d}}, {{a}};", kind, kind, lambda a: -a),
            ]
    for kind, wide in (("u32", "u64"), ("s32", "s64"), ("u16", "u32"), ("s16", "s32")):
        found.append(
            Case(f"mul.wide.{kind} {{d}}, {{a}}, {{b}};", f"{kind} {kind}", wide, lambda a, b: a * b)
        )
    for width in (32, 64):
        kind = f"u{width}"
        found += [
            Case(f"popc.b{width} {{d}}, {{a}};", kind, "u32", lambda a: bin(a).count("1")),
            Case(f"clz.b{width} {{d}}, {{a}};", kind, "u32", lambda a, w=width: w - a.bit_length()),
            Case(
                f"brev.b{width} {{d}}, {{a}};",
                kind,
                kind,
                lambda a, w=width: int(bin(a)[2:].zfill(w)[::-1], 2),
            ),
            Case(
                f"bfind.u{width} {{d}}, {{a}};",
                kind,
                "u32",
                lambda a: a.bit_length() - 1 if a else 0xFFFFFFFF,
            ),
            Case(f"bfe.u{width} {{d}}, {{a}}, {{b}}, {{c}};", f"{kind} u32 u32", kind, extract(width, False)),
            Case(
                f"bfe.s{width} {{d}}, {{a}}, {{b}}, {{c}};",
                f"s{width} u32 u32",
                f"s{width}",
                extract(width, True),
            ),
        ]
    found += [
        Case("sad.u32 {d}, {a}, {b}, {c};", "u32 u32 u32", "u32", lambda a, b, c: abs(a - b) + c),
        Case("bfi.b32 {d}, {a}, {b}, {c}, 5;", "u32 u32 u32", "u32", insert),
        Case("prmt.b32 {d}, {a}, {b}, {c};", "u32 u32 u32", "u32", permute),
        Case("lop3.b32 {d}, {a}, {b}, {c}, 0x1e;", "u32 u32 u32", "u32", lambda a, b, c: a ^ (b | c)),
        Case(
            "shf.l.wrap.b32 {d}, {a}, {b}, {c};",
            "u32 u32 u32",
            "u32",
            lambda a, b, c: ((b << 32 | a) << (c & 31)) >> 32,
        ),
        Case(
            "shf.r.clamp.b32 {d}, {a}, {b}, {c};",
            "u32 u32 u32",
            "u32",
            lambda a, b, c: (b << 32 | a) >> min(c, 32),
        ),
        Case(
            "{{ .reg .u32 t; add.cc.u32 t, {a}, {b}; addc.u32 {d}, {c}, 0; }}",
            "u32 u32 u32",
            "u32",
            lambda a, b, c: c + (a + b >> 32),
        ),
        Case(
            "{{ .reg .u32 t; sub.cc.u32 t, {a}, {b}; subc.u32 {d}, {c}, 0; }}",
            "u32 u32 u32",
            "u32",
            lambda a, b, c: c - (a < b),
        ),
    ]
    return found


def quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def extract(width: int, signed: bool) -> Callable[[int, int, int], int]:
    def field(a: int, begin: int, length: int) -> int:
        begin, length = begin & 255, length & 255
        bits = a & ((1 << width) - 1)
        sign = bits >> min(max(begin + length - 1, 0), width - 1) & 1 if signed and length else 0
        result = (bits >> begin) & ((1 << length) - 1) if begin < width else 0
        have = max(0, min(length, width - begin))
        return result | (((1 << width) - 1) & ~((1 << have) - 1) if sign else 0)

    return field


def insert(a: int, b: int, begin: int) -> int:
    begin, mask = begin & 255, 0b11111
    return (b & ~(mask << begin) | (a & mask) << begin) & 0xFFFFFFFF


def permute(a: int, b: int, selector: int) -> int:
    source = (b << 32 | a).to_bytes(8, "little")
    result = 0
    for place in range(4):
        choice = selector >> 4 * place & 15
        byte = source[choice & 7]
        if choice & 8:
            byte = 255 if byte & 128 else 0
        result |= byte << 8 * place
    return result


@pytest.mark.parametrize("uniform", [False, True], ids=["lanes", "uniform"])
@pytest.mark.parametrize("case", integer_cases(), ids=str)
def test_an_integer_instruction(case: Case, uniform: bool) -> None:
    check(case, uniform)
