"""Counts PTX instructions by the unit's function and line they came from.

PTX shows what is computed in which type before the assembler expands divisions and roots into sequences, so
the questions "does this line compute in float64" and "does it divide integers" are answered from it.
Directives and opcodes: PTX ISA, https://docs.nvidia.com/cuda/parallel-thread-execution/.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

# A place in the unit: number of the function, line within it (1 is its `def`).
Place = tuple[int, int]
Counts = dict[Place | None, Counter[str]]

# Python reads no number of thousands of digits, and no compiler writes one.
_N = r"(\d{1,18})"
_UNIT_FILE = re.compile(rf"unit-function-{_N}\.py$")
_FILE = re.compile(rf'^\s*\.file\s+{_N}\s+"([^"]*)"')
_LOC = re.compile(rf"^\s*\.loc\s+{_N}\s+{_N}\s+{_N}(?:.*inlined_at\s+{_N}\s+{_N}\s+{_N})?")
_FUNCTION = re.compile(r"^\s*(?:\.(?:visible|weak|extern|common)\s+)*\.(entry|func)\b")
_NAME = re.compile(r"([\w$]+)\s*\(?\s*$")
_INSTRUCTION = re.compile(r"^\s*(?:\{\s*)?(?:@!?%p\d+\s+)?([a-z][\w.:]*)\s*(.*?);?\s*\}?$")
_CALL_TARGET = re.compile(r"(?:\([^)]*\)\s*,\s*)?([\w$]+)")
_SHARED = re.compile(rf"^\s*(?:\.\w+\s+)*\.shared\s+\.align\s+([1-9]\d{{0,17}})\s+\.b8\s+[\w$]+\[{_N}\]")

_CALL = re.compile(r"\bcall\b[^;]*;")
# The float32 sine, cosine and tangent of libdevice scale the reduced argument of very large inputs by
# pi/2 * 2**-64 in float64; that path hardly ever runs and no change of the source's types removes it.
_REDUCTION = re.compile(
    r"cvt\.rn\.f64\.s64\s+%fd\d+,[^;]*;\s*mul\.(?:rn\.)?f64\s[^;]*0d3BF921FB54442D19;\s*cvt\.rn\.f32\.f64[^;]*;"
)

_MOVES = frozenset(
    {"ld", "ldu", "st", "mov", "selp", "atom", "red", "shfl", "cvta", "cvt", "call", "slct", "prefetch"}
)
_COSTLY = frozenset({"div", "sqrt", "rcp", "rsqrt"})
_INTEGERS = frozenset({"s16", "u16", "s32", "u32", "s64", "u64"})
_FLOATS = frozenset({"f16", "f16x2", "bf16", "bf16x2", "f32", "f64", "tf32"})


def unit_file(number: int) -> str:
    """The file name that function `number` of a unit is compiled under."""
    return f"/unit-function-{number}.py"


def unit_function(file: str) -> int | None:
    """The number of the function that a file name stands for, None for Numba's own files."""
    found = _UNIT_FILE.search(file)
    return int(found.group(1)) if found else None


@dataclass
class _Function:
    counts: Counts = field(default_factory=dict)
    calls: list[tuple[Place | None, str]] = field(default_factory=list)

    def total(self) -> Counter[str]:
        return sum(self.counts.values(), Counter())


def count_ptx(ptx: str) -> Counts:
    """Counts by place (None: no line of the unit): fp64, fp64_special, fp32, conversions, integer_divisions.

    What a library function without lines computes counts at each line that calls it.
    """
    functions = _functions(ptx)
    result: Counts = {}
    for name, function in functions.items():
        if any(function.counts) or name == "":
            _add(result, function.counts)
            for place, called in function.calls:
                _add(result, {place: _library_cost(called, functions, frozenset())})
    return result


def static_shared_bytes(ptx: str) -> int:
    """The bytes of all shared arrays with a size, each at its alignment, without what hardware reserves."""
    total = 0
    for line in ptx.splitlines():
        if found := _SHARED.match(line):
            align, size = int(found.group(1)), int(found.group(2))
            total = -(-total // align) * align + size
    return total


def _library_cost(name: str, functions: dict[str, _Function], seen: frozenset[str]) -> Counter[str]:
    function = functions.get(name)
    if function is None or name in seen or any(function.counts):
        return Counter()
    cost = function.total()
    for _, called in function.calls:
        cost += _library_cost(called, functions, seen | {name})
    return cost


def _add(result: Counts, more: Counts) -> None:
    for place, counts in more.items():
        result.setdefault(place, Counter()).update(counts)


def _functions(ptx: str) -> dict[str, _Function]:
    ptx = _CALL.sub(lambda call: " ".join(call.group().split()), _REDUCTION.sub("", ptx))
    lines = ptx.splitlines()
    numbers = {int(f.group(1)): unit_function(f.group(2)) for f in map(_FILE.match, lines) if f}
    functions: dict[str, _Function] = {}
    current = _Function()
    place: Place | None = None
    outer: dict[tuple[str, ...], tuple[str, ...]] = {}
    for line in lines:
        if found := _FUNCTION.match(line):
            current, place = _Function(), None
            functions[_function_name(line, found.group(1) == "entry")] = current
        elif found := _LOC.match(line):
            position, caller = found.groups()[:3], found.groups()[3:]
            if caller[0] is not None:
                outer[position] = caller
            place = _place(position, caller if caller[0] else None, outer, numbers) or place
        elif found := _INSTRUCTION.match(line):
            _count(current, place, found.group(1), found.group(2))
    return functions


def _function_name(line: str, entry: bool) -> str:
    """The name of a function; the kernel itself has the empty name, for it is counted in any case."""
    if entry:
        return ""
    found = _NAME.search(line.rstrip())
    return found.group(1) if found else line


def _place(
    position: tuple[str, ...],
    caller: tuple[str, ...] | None,
    outer: dict[tuple[str, ...], tuple[str, ...]],
    numbers: dict[int, int | None],
) -> Place | None:
    """The innermost place in the unit: what came of Numba's own files goes to the line that uses them."""
    at: tuple[str, ...] | None = position
    for _ in range(16):
        if at is None:
            return None
        function = numbers.get(int(at[0]))
        if function is not None:
            return (function, int(at[1])) if int(at[1]) else None
        at = caller if at == position else outer.get(at)
    return None


def _count(function: _Function, place: Place | None, opcode: str, operands: str) -> None:
    head, *rest = opcode.split(".")
    kinds = _kinds(head, rest, operands)
    if place is not None or kinds:
        function.counts.setdefault(place, Counter()).update(kinds)
    if head == "call":
        target = _CALL_TARGET.match(operands)
        if target:
            function.calls.append((place, target.group(1)))


def _kinds(head: str, rest: list[str], operands: str) -> list[str]:
    if head == "cvt":
        floats = [part for part in rest if part in _FLOATS]
        kinds = ["conversions"] if floats else []
        return [*kinds, "fp64_special"] if "f64" in floats and len(set(_types(rest))) > 1 else kinds
    if head in _MOVES:
        return []
    if "f64" in rest:
        return ["fp64", "fp64_special"] if head in _COSTLY else ["fp64"]
    if "f32" in rest:
        return ["fp32"]
    if head in ("div", "rem") and _INTEGERS & set(rest):
        return ["integer_divisions"] if operands.rsplit(",", 1)[-1].strip().startswith("%") else []
    return []


def _types(parts: list[str]) -> list[str]:
    return [part for part in parts if part in _FLOATS or part in _INTEGERS or part in ("s8", "u8")]
