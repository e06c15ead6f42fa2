"""Routines for arithmetic that a vector unit lacks: division, high products, bit fields, shuffles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from advisor.evidence.simulated.simt.vector.lanes import DOUBLE, I32, I64, same, splat, vector
from advisor.evidence.simulated.simt.vector.routines.builder import Routine, Write, routine

_EXACT = 1 << 52


def _divide_32(r: Routine, signed: bool, remainder: bool) -> None:
    """Emit a division of 32-bit numbers in double precision, which is exact enough for each quotient."""
    one, other = r.arguments
    none = r.icmp_unsigned("==", other, splat(I32, 0))
    other = r.select(none, splat(I32, 1), other)
    convert = r.sitofp if signed else r.uitofp
    quotient = r.fdiv(convert(one, vector(DOUBLE)), convert(other, vector(DOUBLE)))
    whole = (r.fptosi if signed else r.fptoui)(quotient, vector(I64))
    result = r.trunc(whole, vector(I32))
    r.ret(r.sub(one, r.mul(result, other)) if remainder else result)


def _divide_64(r: Routine, signed: bool, remainder: bool) -> None:
    """Emit a division in double precision where both numbers are small enough, else lane by lane."""
    one, other = r.arguments
    none = r.icmp_unsigned("==", other, splat(I64, 0))
    other = r.select(none, splat(I64, 1), other)
    sizes = []
    for value in (one, other):
        size = value
        if signed:
            size = r.elementwise("llvm.smax", value, r.neg(value))
        sizes.append(size)
    small = r.and_(*(r.bits(r.icmp_unsigned("<", size, splat(I64, _EXACT))) for size in sizes))
    fast = r.append_basic_block("fast")
    slow = r.append_basic_block("slow")
    r.cbranch(r.icmp_signed("==", small, r.number(-1, I32)), fast, slow)
    r.position_at_end(fast)
    r.ret(_small_quotient(r, one, other, remainder))
    r.position_at_end(slow)
    name = ("s" if signed else "u") + ("rem" if remainder else "div")
    places = [r.spilled(value) for value in (one, other)]
    result = r.spilled(one)
    with r.loop(r.number(32, I32)) as lane:
        first, second = (r.load(r.element(place, I64, lane), typ=I64) for place in places)
        if signed:
            lowest = r.icmp_signed("==", first, r.number(1 << 63))
            minus = r.icmp_signed("==", second, r.number(-1))
            second = r.select(r.and_(lowest, minus), r.number(1), second)
        r.store(getattr(r, name)(first, second), r.element(result, I64, lane))
    r.ret(r.load(result, typ=vector(I64), align=64))


def _small_quotient(r: Routine, one: Any, other: Any, remainder: bool) -> Any:
    """The quotient cut to a whole number; where rounding reached the next one the rest's sign shows it."""
    quotient = r.fdiv(r.sitofp(one, vector(DOUBLE)), r.sitofp(other, vector(DOUBLE)))
    whole = r.fptosi(quotient, vector(I64))
    rest = r.sub(one, r.mul(whole, other))
    zero = splat(I64, 0)
    # The rest has the dividend's sign, or the quotient was rounded away from zero by one.
    wrong = r.icmp_signed("<", r.xor(rest, one), zero)
    wrong = r.and_(wrong, r.icmp_unsigned("!=", rest, zero))
    toward = r.or_(r.ashr(r.xor(one, other), splat(I64, 63)), splat(I64, 1))
    fixed = r.select(wrong, r.sub(whole, toward), whole)
    return r.sub(one, r.mul(fixed, other)) if remainder else fixed


_DIVISIONS = ((I32, _divide_32), (I64, _divide_64))


def _enter_divisions() -> None:
    for sign in "su":
        for operation in ("div", "rem"):
            for kind, write in _DIVISIONS:
                lanes = vector(kind)
                name = f"{operation}_{sign}{kind.width}"
                routine(name, lanes, lanes, lanes)(_division(write, sign == "s", operation == "rem"))


def _division(write: Callable[[Routine, bool, bool], None], signed: bool, remainder: bool) -> Write:
    return lambda r: write(r, signed, remainder)


_enter_divisions()


def _high_unsigned(r: Routine, one: Any, other: Any) -> Any:
    """The upper half of 64-bit products from four products of halves."""
    low = splat(I64, 0xFFFFFFFF)
    half = splat(I64, 32)
    a0, a1 = r.and_(one, low), r.lshr(one, half)
    b0, b1 = r.and_(other, low), r.lshr(other, half)
    carry = r.lshr(r.mul(a0, b0), half)
    middle = r.add(r.mul(a1, b0), carry)
    second = r.add(r.mul(a0, b1), r.and_(middle, low))
    return r.add(r.add(r.mul(a1, b1), r.lshr(middle, half)), r.lshr(second, half))


@routine("mulhi_u64", vector(I64), vector(I64), vector(I64))
def _high_product(r: Routine) -> None:
    r.ret(_high_unsigned(r, *r.arguments))


@routine("mulhi_s64", vector(I64), vector(I64), vector(I64))
def _high_signed_product(r: Routine) -> None:
    one, other = r.arguments
    high = _high_unsigned(r, one, other)
    sign = splat(I64, 63)
    high = r.sub(high, r.and_(r.ashr(one, sign), other))
    r.ret(r.sub(high, r.and_(r.ashr(other, sign), one)))


def _extract(r: Routine, kind: Any, signed: bool) -> None:
    """Emit `bfe` (PTX ISA): bits beyond the number are its sign, or zero."""
    value, begin, length = r.arguments
    width = kind.width
    begin, length = (r.and_(part, splat(I32, 255)) for part in (begin, length))
    last = r.add(begin, length)
    top = splat(I32, width)
    sign_place = r.sub(r.elementwise("llvm.umin", last, top), splat(I32, 1))
    sign_place = r.elementwise("llvm.smax", sign_place, splat(I32, 0))

    def wide(part: Any) -> Any:
        return r.zext(part, vector(kind)) if width == 64 else part

    sign = r.and_(r.lshr(value, wide(sign_place)), same(value, 1))
    if not signed:
        sign = same(value, 0)
    fill = r.neg(sign)
    inside = r.icmp_unsigned("<", begin, top)
    shifted = r.lshr(value, wide(r.select(inside, begin, splat(I32, 0))))
    shifted = r.select(inside, shifted, same(value, 0))
    kept = r.elementwise("llvm.umin", length, r.select(inside, r.sub(top, begin), splat(I32, 0)))
    all_bits = r.icmp_unsigned(">=", kept, top)
    ones = r.sub(r.shl(same(value, 1), wide(r.select(all_bits, splat(I32, 0), kept))), same(value, 1))
    ones = r.select(all_bits, same(value, -1), ones)
    result = r.or_(r.and_(shifted, ones), r.and_(fill, r.not_(ones)))
    r.ret(r.select(r.icmp_unsigned("==", length, splat(I32, 0)), same(value, 0), result))


def _enter_extractions() -> None:
    for kind in (I32, I64):
        for sign in "su":
            lanes = vector(kind)
            routine(f"bfe_{sign}{kind.width}", lanes, lanes, vector(I32), vector(I32))(
                _extraction(kind, sign == "s")
            )


def _extraction(kind: Any, signed: bool) -> Write:
    return lambda r: _extract(r, kind, signed)


_enter_extractions()


@routine("shuffle_32", vector(I32), vector(I32), vector(I32))
def _shuffle(r: Routine) -> None:
    value, source = r.arguments
    place = r.spilled(value)
    base = r.ptrtoint(place, I64)
    offsets = r.shl(r.zext(source, vector(I64)), splat(I64, 2))
    everyone = r.number(-1, I32)
    function = r.module.globals["gather_32"]
    r.ret(r.call(function, [r.add(offsets, r.broadcast(base)), everyone]))


def _match(r: Routine) -> None:
    value, mask = r.arguments
    result = r.variable(splat(I32, 0))
    with r.each_group(value, mask) as (_, group):
        old = r.value(result, vector(I32))
        r.store(r.select(r.lanes_of(group), r.broadcast(group), old), result)
    r.ret(r.value(result, vector(I32)))


for _kind in (I32, I64):
    routine(f"match_any_{_kind.width}", vector(I32), vector(_kind), I32)(_match)


def _reduce(r: Routine, operation: str) -> None:
    """Emit `redux.sync` (PTX ISA): each lane gets one value of all running lanes that give its mask."""
    values, masks, running = r.arguments
    neutral = splat(I32, _NEUTRAL.get(operation, 0))
    result = r.variable(splat(I32, 0))
    with r.each_group(masks, running) as (_, group):
        lanes = r.lanes_of(group)
        one = r.reduce(operation, r.select(lanes, values, neutral))
        r.store(r.select(lanes, r.broadcast(one), r.value(result, vector(I32))), result)
    r.ret(r.value(result, vector(I32)))


# What changes no result of an operation; 0 for the others.
_NEUTRAL = {"and": -1, "umin": -1, "smin": 0x7FFFFFFF, "smax": -0x80000000}
for _operation in ("add", "and", "or", "xor", "umin", "umax", "smin", "smax"):
    routine(f"reduce_{_operation}", vector(I32), vector(I32), vector(I32), I32)(
        (lambda operation: lambda r: _reduce(r, operation))(_operation)
    )
