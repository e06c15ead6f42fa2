"""The operands of PTX instructions."""

from __future__ import annotations

import re
import struct

from advisor.evidence.simulated.simt.ptx.ptx_program import (
    Address,
    Float,
    Group,
    Integer,
    Operand,
    Register,
    SpecialRegister,
    Symbol,
)

# PTX ISA, "Special Registers".
_SPECIAL = re.compile(
    r"%(?:(?:tid|ntid|ctaid|nctaid|clusterid|nclusterid|cluster_ctaid|cluster_nctaid)(?:\.[xyzw])?"
    r"|laneid|warpid|nwarpid|smid|nsmid|gridid|lanemask_(?:eq|le|lt|ge|gt)|clock(?:64|_hi)?|pm\d+(?:_64)?"
    r"|envreg\d+|globaltimer(?:_lo|_hi)?|total_smem_size|aggr_smem_size|dynamic_smem_size"
    r"|is_explicit_cluster|cluster_ctarank|cluster_nctarank|current_graph_exec|reserved_smem_\w+)"
)
_INTEGER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9]\d*)U?")
_FLOAT = re.compile(r"0([fFdD])([0-9a-fA-F]+)")
# A number of 64 bits; PTX ISA, "Floating-Point Constants".
_DECIMAL = re.compile(r"-?\d+\.\d*(?:[eE][+-]?\d+)?")
_SYMBOL = re.compile(r"[A-Za-z_$%][\w$]*")
_SUM = re.compile(r"(.*?)\s*([+-])\s*(-?\w+)\s*")
# No instruction has brackets in brackets in brackets.
_NESTED = re.compile(r"(?:[\[{(]\s*){4}")
_MOST_PARTS = 4
_PAIRS = {"[": "]", "{": "}", "(": ")"}


def split_operands(text: str) -> list[str]:
    """The operands in a text, divided at commas outside brackets."""
    found, depth, begin = [], 0, 0
    for at, character in enumerate(text):
        if character in "[{(":
            depth += 1
        elif character in "]})":
            depth -= 1
        elif character == "," and not depth:
            found.append(text[begin:at].strip())
            begin = at + 1
    last = text[begin:].strip()
    return [*found, last] if last else found


def read_operand(text: str) -> Operand:
    """One operand; raises ValueError for what is none."""
    if _NESTED.match(text) or text.count("|") > _MOST_PARTS:
        raise ValueError(f"`{text[:40]}` is no operand")
    if text[:1] in _PAIRS and text.endswith(_PAIRS[text[0]]):
        inside = text[1:-1].strip()
        if text[0] == "[":
            parts = split_operands(inside)
            return _address(inside) if len(parts) < 2 else _box(parts)
        return Group(tuple(read_operand(part) for part in split_operands(inside)))
    if "|" in text:
        return Group(tuple(read_operand(part.strip()) for part in text.split("|")))
    if text.startswith("!"):
        return Register(text[1:].strip(), negated=True)
    if _SPECIAL.fullmatch(text):
        return SpecialRegister(text[1:])
    if found := _FLOAT.fullmatch(text):
        return Float(int(found[2], 16), 32 if found[1] in "fF" else 64)
    if _DECIMAL.fullmatch(text):
        return Float(int.from_bytes(struct.pack("<d", float(text)), "little"), 64)
    if _INTEGER.fullmatch(text):
        return Integer(read_integer(text))
    if _SYMBOL.fullmatch(text):
        return Register(text) if text.startswith("%") or text == "_" else Symbol(text)
    raise ValueError(f"`{text}` is no operand")


def read_integer(text: str) -> int:
    """The value of an integer constant; raises ValueError for another text."""
    digits = text.rstrip("U")
    octal = re.fullmatch(r"-?0[0-7]+", digits)
    return int(digits, 8 if octal else 0)


def _box(parts: list[str]) -> Group:
    """Where a box of a tensor is: the address of its map, and where it begins."""
    return Group((_address(parts[0]), *(read_operand(part) for part in parts[1:])))


def _address(text: str) -> Address:
    offset = 0
    if found := _SUM.fullmatch(text):
        text = found[1]
        offset = read_integer(found[3]) * (-1 if found[2] == "-" else 1)
    base = read_operand(text.strip())
    if not isinstance(base, Register | Symbol | Integer):
        raise ValueError(f"`{text}` is no base of an address")
    return Address(base, offset)
