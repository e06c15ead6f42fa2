"""Counts loads of shared memory that a wider load would save: neighbouring words, loaded one by one.

A thread that loads words at the same register with offsets that follow each other could load two or four of
them at a time, where the address is a multiple of the wider size. Whether it is, the code does not say.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from advisor.evidence.compiled.instructions.ptx import Place

if TYPE_CHECKING:
    from advisor.evidence.compiled.instructions.sass import MachineInstruction

# The widest load of shared memory takes 16 bytes for each thread.
_WIDEST = 16
_WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
_WORD = 4
_ADDRESS = re.compile(r"\[(.*?)(?:\+(-?0x[0-9a-f]+))?\]")
_REGISTERS = re.compile(r"\bU?R\d+\b")
_TARGET = re.compile(r"^(?:!?U?P\w+,\s*)*(U?R)(\d+)\b")
# Modifiers and opcodes with results of more than one register of 4 bytes, in bytes.
_RESULTS = {"256": 32, "128": 16, "64": 8, "WIDE": 8, "F64": 8}
_PAIRS = frozenset({"CS2R"})
# What other threads may have done to shared memory lies between loads on both sides of these.
_ORDERS = frozenset({"BAR", "MEMBAR", "STS", "ATOMS", "REDS", "WARPSYNC", "CALL", "ST", "ATOM"})


def saved_by_wider_loads(code: Iterable[MachineInstruction]) -> Counter[Place | None]:
    """By place, the loads that fewer, wider ones would save in one section of machine code."""
    saved: Counter[Place | None] = Counter()
    runs: dict[tuple[Place | None, str, int], set[int]] = {}

    def end(found: Iterable[tuple[Place | None, str, int]]) -> None:
        for key in list(found):
            saved[key[0]] += _saved(runs.pop(key), key[2])

    for one in code:
        head, *modifiers = one.opcode.split(".")
        if one.begins_block or head in _ORDERS:
            end(runs)
        if head == "LDS" and not one.predicate and (found := _ADDRESS.search(one.operands)):
            width = next((_WIDTHS[part] for part in modifiers if part in _WIDTHS), _WORD)
            offset = int(found.group(2) or "0", 16)
            if width >= _WORD:
                runs.setdefault((one.place, found.group(1), width), set()).add(offset)
        changed = _changed(one)
        end([key for key in runs if changed & set(_REGISTERS.findall(key[1]))])
    end(runs)
    return saved


def _saved(offsets: set[int], width: int) -> int:
    """How many loads of `width` bytes at the offsets are saved by loads of up to 16 bytes, each of which
    begins at a multiple of its size."""
    saved = 0
    wide = _WIDEST
    while wide > width:
        parts = wide // width
        whole = {start for start in offsets if start % wide == 0} & {
            start for start in offsets if all(start + width * part in offsets for part in range(parts))
        }
        for start in whole:
            offsets = offsets - {start + width * part for part in range(parts)}
            saved += parts - 1
        wide //= 2
    return saved


def _changed(one: MachineInstruction) -> set[str]:
    """The registers that an instruction may write: its first, and those that a wide result takes besides."""
    target = _TARGET.match(one.operands)
    if target is None:
        return set()
    head, *modifiers = one.opcode.split(".")
    sizes = [size for part, size in _RESULTS.items() if part in modifiers]
    if head.startswith("D") or head in _PAIRS:
        sizes.append(8)
    if head.endswith("MMA"):
        sizes.append(32)
    first = int(target.group(2))
    return {
        f"{target.group(1)}{number}" for number in range(first, first + max(sizes, default=_WORD) // _WORD)
    }
