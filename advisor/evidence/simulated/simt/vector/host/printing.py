"""What kernels print: formats and arguments of the lanes as text, of which a launch keeps a bounded part.

The arguments lie one behind the other, each at a multiple of its size: `vprintf` in "PTX Writer's Guide to
Interoperability". A device keeps them in a buffer of a fixed size until the launch has ended, and overwrites
the oldest ones when it is full: CUDA C++ Programming Guide, "Formatted Output".
"""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass

from advisor.evidence.simulated.simt.device_memory import Buffer
from advisor.evidence.simulated.simt.vector.lanes import LANES
from advisor.evidence.simulated.simt.vector.layout import LOCAL_GRANULE, LOCAL_WINDOW, SHARED_WINDOW, Context

_CONVERSION = re.compile(r"%([-+ #0]*)(\d*)(?:\.(\d+))?(hh|h|ll|l|z|j|t)?([diouxXeEfFgGaAcsp%])")
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32)
_OUTSIDE = "(outside of memory)"
# A wider field, or a longer text, is cut.
_LONGEST = 4096
_STEP = 64

BytesAt = Callable[[int, int], "bytes | None"]


def formatted(text: str, arguments: Arguments) -> str:
    """The text that C's printf gives for a format and its arguments."""
    return _CONVERSION.sub(lambda found: _converted(found, arguments), text)


@dataclass
class Arguments:
    """The arguments of one lane from an address on, read one after the other; `read` gives None outside."""

    address: int
    read: BytesAt
    offset: int = 0

    def take(self, size: int) -> bytes | None:
        """The bytes of the next argument."""
        begin = -(-self.offset // size) * size
        self.offset = begin + size
        return self.read(self.address + begin, size)


def _converted(found: re.Match[str], arguments: Arguments) -> str:
    flags, width, precision, length, kind = found.groups()
    if kind == "%":
        return "%"
    narrow = kind not in "eEfFgGaAsp" and length not in ("ll", "l", "z", "j", "t")
    content = arguments.take(4 if narrow else 8)
    if content is None:
        return _OUTSIDE
    layout = f"%{flags}{_bounded(width)}" + (f".{_bounded(precision)}" if precision else "")
    if kind in "eEfFgGaA":
        value = ctypes.c_double.from_buffer_copy(content).value
        return (layout + kind) % value if kind not in "aA" else value.hex()
    number = int.from_bytes(content, "little", signed=kind in "di")
    if kind == "s":
        return (layout + "s") % text_at(number, arguments.read)
    if kind == "c":
        return chr(number & 0xFF)
    return hex(number) if kind == "p" else (layout + {"i": "d", "u": "d"}.get(kind, kind)) % number


def _bounded(digits: str) -> str:
    return digits if len(digits) < 5 and int(digits or 0) <= _LONGEST else str(_LONGEST)


def text_at(address: int, read: BytesAt) -> str:
    """The text that begins at an address, up to a zero byte or the end of its memory."""
    found, step = bytearray(), _STEP
    while len(found) < _LONGEST:
        part = read(address + len(found), step)
        if part is None and step > 1:
            # Near the end of its memory byte after byte.
            step = 1
            continue
        if part is None:
            return found.decode(errors="replace") if found else _OUTSIDE
        found += part
        if 0 in part:
            break
    return found.partition(b"\0")[0].decode(errors="replace")


class PrintedText:
    """The last bytes that a launch prints, block after block whoever runs them; lines before are counted."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._pieces: list[tuple[int, str]] = []
        self._size = 0
        # The block of the last text that is lost: all of the blocks before it is lost too.
        self._lost_block = -1
        self._lock = threading.Lock()
        self.lines_left_out = 0

    def add(self, block: int, text: str) -> None:
        """Add what a thread of a block prints."""
        with self._lock:
            if block < self._lost_block:
                self.lines_left_out += text.count("\n")
                return
            self._pieces.append((block, text))
            self._size += _size(text)
            if self._size > 2 * self._capacity:
                self._cut()

    def text(self) -> str:
        """What was printed, as far as it is kept."""
        with self._lock:
            self._cut()
            return "".join(text for _, text in self._pieces)

    def _cut(self) -> None:
        self._pieces.sort(key=lambda piece: piece[0])
        first = 0
        while self._size > self._capacity:
            self._lost_block, text = self._pieces[first]
            self._size -= _size(text)
            self.lines_left_out += text.count("\n")
            first += 1
        del self._pieces[:first]


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode(errors="replace"))


class Printer:
    """The function that compiled code calls to print; it reads where the kernel may."""

    def __init__(
        self, buffer_at: Callable[[int], Buffer | None], printed: PrintedText, by_block: bool
    ) -> None:
        self._buffer_at = buffer_at
        self._printed = printed
        self._by_block = by_block
        self._callback = _CALLBACK(self._print)

    @property
    def address(self) -> int:
        """Where the function begins."""
        return int(ctypes.cast(self._callback, ctypes.c_void_p).value or 0)

    def _print(self, context: int, formats: int, arguments: int, mask: int) -> None:
        words = (ctypes.c_int64 * Context.WORDS).from_address(context)
        begins = (ctypes.c_uint64 * LANES).from_address(formats)
        places = (ctypes.c_uint64 * LANES).from_address(arguments)
        block = words[Context.BLOCK_NUMBER] if self._by_block else 0
        for lane in range(LANES):
            if mask >> lane & 1:
                read = self._reader(words, lane)
                text = formatted(text_at(begins[lane], read), Arguments(places[lane], read))
                self._printed.add(block, text)

    def _reader(self, words: ctypes.Array[ctypes.c_int64], lane: int) -> BytesAt:
        def read(address: int, size: int) -> bytes | None:
            shared, local = address - SHARED_WINDOW, address - LOCAL_WINDOW
            if 0 <= shared <= words[Context.SHARED_SIZE] - size:
                return ctypes.string_at(words[Context.SHARED] + shared, size)
            if 0 <= local <= words[Context.LOCAL_SIZE] - size:
                return b"".join(_local_byte(words, lane, local + at) for at in range(size))
            buffer = self._buffer_at(address)
            if buffer is None or address + size > buffer.end:
                return None
            begin = address - buffer.begin
            return buffer.content[begin : begin + size].tobytes()

        return read


class Silence:
    """A function for compiled code to call that prints nothing."""

    def __init__(self) -> None:
        self._callback = _CALLBACK(self._ignore)

    @property
    def address(self) -> int:
        """Where the function begins."""
        return int(ctypes.cast(self._callback, ctypes.c_void_p).value or 0)

    @staticmethod
    def _ignore(_context: int, _formats: int, _arguments: int, _mask: int) -> None:
        """Do nothing."""


def _local_byte(words: ctypes.Array[ctypes.c_int64], lane: int, offset: int) -> bytes:
    granule, within = divmod(offset, LOCAL_GRANULE)
    place = words[Context.LOCAL] + (granule * LANES + lane) * LOCAL_GRANULE + within
    return ctypes.string_at(place, 1)
