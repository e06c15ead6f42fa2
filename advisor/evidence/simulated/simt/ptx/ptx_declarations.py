"""Declarations of PTX: function headers, registers, variables with their sizes and first contents."""

from __future__ import annotations

import re

from advisor.evidence.simulated.simt.ptx.ptx_operands import read_integer, split_operands
from advisor.evidence.simulated.simt.ptx.ptx_program import Function, Parameter, Variable

# Below what an array's first contents fill there are zeros anyway, and none need be kept of a large one.
_MOST_ZEROS = 1 << 16
_MOST_BYTES = 1 << 40
_BYTES = {"8": 1, "16": 2, "32": 4, "64": 8, "128": 16}
_NAME = r"[A-Za-z_$%][\w$]*"
_HEADER = re.compile(
    rf"(?:\.(?:visible|weak|extern|common)\s+)*\.(?P<kind>entry|func)\s*(?:\((?P<results>[^)]*)\)\s*)?"
    rf"(?P<name>{_NAME})\s*(?:\((?P<parameters>[^)]*)\))?[^()]*(?:\.\w+\s+[\d,\s]*)*",
    re.DOTALL,
)
_PARAMETER = re.compile(
    rf"\.(?:param|reg)\s+(?:\.align\s+(?P<align>\d+)\s+)?\.(?P<type>\w+)\s+(?P<pointer>\.ptr\s+(?:\.\w+\s+)?"
    rf"(?:\.align\s+\d+\s+)?)?(?P<name>{_NAME})(?:\[(?P<count>\d*)\])?"
)
_REGISTERS = re.compile(r"\.reg\s*\.(?P<type>\w+)\s+(?P<names>.+)", re.DOTALL)
_RANGE = re.compile(rf"({_NAME})<(\d+)>")
_VARIABLE = re.compile(
    rf"(?:\.(?:visible|weak|extern|common)\s+)*\.(?P<space>global|shared|local|const|param)\s+"
    rf"(?:\.align\s+(?P<align>\d+)\s+)?(?:\.v(?P<vector>[24])\s+)?\.(?P<type>\w+)\s+(?P<name>{_NAME})"
    r"(?P<dims>(?:\[\d*\])*)\s*(?:=\s*(?P<initial>.*))?;",
    re.DOTALL,
)


def type_bytes(name: str) -> int:
    """The bytes of one value of a PTX type; raises ValueError for an unknown type."""
    digits = name.partition("x")[0].lstrip("busfe")
    if name == "pred" or digits not in _BYTES:
        raise ValueError(f"`.{name}` has no size in memory")
    return _BYTES[digits] * (2 if name.endswith("x2") else 1)


def read_header(text: str) -> Function:
    """The function that a header declares, without a body yet; raises ValueError."""
    found = _HEADER.fullmatch(" ".join(text.split()))
    if found is None:
        raise ValueError(f"`{text.strip().splitlines()[0]}` is no function header")
    return Function(
        found["name"],
        found["kind"] == "entry",
        _parameters(found["parameters"]),
        _parameters(found["results"]),
    )


def _parameters(text: str | None) -> tuple[Parameter, ...]:
    return tuple(_parameter(part) for part in split_operands(text or ""))


def _parameter(text: str) -> Parameter:
    found = _PARAMETER.fullmatch(text)
    if found is None:
        raise ValueError(f"`{text}` is no parameter")
    element = type_bytes(found["type"])
    count = int(found["count"] or 0) if found["count"] is not None else 1
    return Parameter(
        found["name"], found["type"], _alignment(found["align"], element), element * count,
        pointer=found["pointer"] is not None,
    )  # fmt: skip


def read_registers(statement: str, function: Function) -> None:
    """Add the registers of a `.reg` statement to the function; raises ValueError."""
    declared = _REGISTERS.fullmatch(statement.rstrip(";"))
    if declared is None:
        raise ValueError(f"`{statement[:80]}` declares no registers")
    kind = declared["type"]
    if kind != "pred":
        type_bytes(kind)
    for name in split_operands(declared["names"]):
        if found := _RANGE.fullmatch(name):
            function.ranges[found[1]] = (kind, int(found[2]))
        else:
            function.registers[name] = kind


def read_variable(statement: str) -> Variable:
    """The variable that a statement declares; raises ValueError."""
    found = _VARIABLE.fullmatch(statement)
    if found is None:
        raise ValueError(f"`{statement[:80]}` is no declaration")
    element = type_bytes(found["type"]) * int(found["vector"] or 1)
    size = element
    for extent in re.findall(r"\[(\d*)\]", found["dims"]):
        size *= int(extent or 0)
    if size > _MOST_BYTES:
        raise ValueError(f"`{statement[:80]}` takes {size:,} bytes, more than a device has")
    initial = _contents(found["initial"], found["type"], size) if found["initial"] else None
    align = _alignment(found["align"], element)
    return Variable(found["name"], found["space"], found["type"], align, size, initial)


def _contents(text: str, kind: str, size: int) -> bytes:
    width = type_bytes(kind)
    values = re.findall(r"[^\s{},]+", text)
    data = b"".join(_value(value, width) for value in values)
    if len(data) > size:
        raise ValueError(f"more is given than {size:,} bytes hold")
    return data.ljust(min(size, max(len(data), _MOST_ZEROS)), b"\0")


def _alignment(text: str | None, element: int) -> int:
    """The bytes of an alignment, those of the type where none is given; raises ValueError."""
    found = int(text) if text is not None else element
    # PTX ISA, ".align": a power of two.
    if found < 1 or found & (found - 1):
        raise ValueError(f"no address is a multiple of {found}")
    return found


def _value(text: str, width: int) -> bytes:
    if text[:2] in ("0f", "0F", "0d", "0D"):
        return int(text[2:], 16).to_bytes(width, "little")
    return (read_integer(text) % (1 << (8 * width))).to_bytes(width, "little")
