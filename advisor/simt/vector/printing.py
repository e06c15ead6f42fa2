"""What kernels print: formats and arguments of the lanes as text on standard output.

The arguments lie in a thread's local memory, each at a multiple of its size: `vprintf` in "PTX Writer's Guide
to Interoperability".
"""

from __future__ import annotations

import ctypes
import functools
import re
import sys

from advisor.simt.vector.lanes import LANES
from advisor.simt.vector.layout import LOCAL_GRANULE

_CONVERSION = re.compile(r"%([-+ #0]*)(\d*)(?:\.(\d+))?(hh|h|ll|l|z|j|t)?([diouxXeEfFgGaAcsp%])")
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32)


def formatted(text: str, arguments: Arguments) -> str:
    """The text that C's printf gives for a format and its arguments."""
    return _CONVERSION.sub(lambda found: _converted(found, arguments), text)


class Arguments:
    """The arguments of one lane, read one after the other."""

    def __init__(self, address: int) -> None:
        self.address = address
        self.offset = 0

    def take(self, size: int) -> bytes:
        """The bytes of the next argument."""
        self.offset = -(-self.offset // size) * size
        granule, within = divmod(self.offset, LOCAL_GRANULE)
        self.offset += size
        place = self.address + granule * LOCAL_GRANULE * LANES + within
        return ctypes.string_at(place, size)


def _converted(found: re.Match[str], arguments: Arguments) -> str:
    flags, width, precision, length, kind = found.groups()
    if kind == "%":
        return "%"
    layout = f"%{flags}{width}" + (f".{precision}" if precision else "")
    if kind in "eEfFgGaA":
        value = ctypes.c_double.from_buffer_copy(arguments.take(8)).value
        return (layout + kind) % value if kind not in "aA" else value.hex()
    if kind == "s":
        pointer = int.from_bytes(arguments.take(8), "little")
        return (layout + "s") % ctypes.string_at(pointer).decode(errors="replace")
    size = 8 if length in ("ll", "l", "z", "j", "t") or kind == "p" else 4
    number = int.from_bytes(arguments.take(size), "little", signed=kind in "di")
    if kind == "c":
        return chr(number & 0xFF)
    return hex(number) if kind == "p" else (layout + {"i": "d", "u": "d"}.get(kind, kind)) % number


def _print(context: int, formats: int, arguments: int, mask: int) -> None:
    del context
    for lane in range(LANES):
        if mask >> lane & 1:
            text = ctypes.string_at(ctypes.c_int64.from_address(formats + 8 * lane).value)
            begin = ctypes.c_int64.from_address(arguments + 8 * lane).value
            sys.stdout.write(formatted(text.decode(errors="replace"), Arguments(begin)))


@functools.cache
def _callback() -> ctypes._FuncPointer:
    return _CALLBACK(_print)


def print_address() -> int:
    """The address of the function that compiled code calls to print."""
    return int(ctypes.cast(_callback(), ctypes.c_void_p).value or 0)
