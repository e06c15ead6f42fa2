"""Writes a shared object whose functions jump to addresses that are filled in after it was loaded.

The layout follows the System V ABI, https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html;
versions of symbols are those of https://refspecs.linuxfoundation.org/LSB_5.0.0/LSB-Core-generic/symversion.html.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from advisor.model.errors import AdvisorError

SLOTS, STUBS = "advisor_slots", "advisor_stubs"
STUB_BYTES = 16

# The largest page of the supported machines (64 KiB on some of the 64-bit Arm ones).
_PAGE = 0x10000
_HEADER_BYTES, _SEGMENT_BYTES, _SYMBOL_BYTES = 64, 56, 24
_LOAD, _DYNAMIC, _STACK = 1, 2, 0x6474E551
_READ, _WRITE, _EXECUTE = 4, 2, 1
_DT_HASH, _DT_STRTAB, _DT_SYMTAB, _DT_STRSZ, _DT_SYMENT, _DT_SONAME = 4, 5, 6, 10, 11, 14
_DT_VERSYM, _DT_VERDEF, _DT_VERDEFNUM = 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFD
# Of a version: that it is the file's own name, and the bytes of its definition.
_BASE, _DEFINITION_BYTES = 1, 28
_GLOBAL_OBJECT, _GLOBAL_FUNCTION = 0x11, 0x12
_MACHINES = {"x86_64": 62, "aarch64": 183}
# `endbr64; xor eax, eax; ret` and `bti c; mov w0, 0; ret`.
_RETURN_0 = {
    "x86_64": b"\xf3\x0f\x1e\xfa\x31\xc0\xc3".ljust(STUB_BYTES, b"\xcc"),
    "aarch64": struct.pack("<IIII", 0xD503245F, 0x52800000, 0xD65F03C0, 0),
}


def shared_object(
    machine: str, name: str, functions: Sequence[str], spare: int, version: str | None = None
) -> bytes:
    """The bytes of a shared object called `name` that defines `functions`, of a version where one is given.

    Each function jumps to the address in its slot. The slots, 8 bytes each, are the variable `advisor_slots`;
    `advisor_stubs` are the functions, STUB_BYTES each: those of `functions` in their order, `spare` ones
    without a name, and behind them one without a slot, which returns 0. `machine` is what platform.machine()
    says. Raises AdvisorError for a machine whose jump is not known.
    """
    if machine not in _MACHINES:
        raise AdvisorError(f"Programs cannot be run on a simulated GPU on a {machine} machine.")
    return _Image(machine, name, functions, spare, version).content()


class _Image:
    def __init__(
        self, machine: str, name: str, functions: Sequence[str], spare: int, version: str | None
    ) -> None:
        self.machine, self.functions, self.version = machine, functions, version
        self.slots = len(functions) + spare
        self.strings = b"\0"
        self.offsets = {text: self._string(text) for text in (name, SLOTS, STUBS, version or "", *functions)}
        self.soname = self.offsets[name]
        count = self._symbol_count = len(functions) + 3
        self.symbols_at = _HEADER_BYTES + 4 * _SEGMENT_BYTES
        self.hash_at = self.symbols_at + count * _SYMBOL_BYTES
        self.strings_at = self.hash_at + 4 * (3 + count)
        self.definitions_at = _rounded(self.strings_at + len(self.strings), 8)
        self.versions_at = self.definitions_at + len(self._definitions(name))
        self.name = name
        self.code_at = _rounded(self.versions_at + len(self._versions()), STUB_BYTES)
        self.code_end = self.code_at + STUB_BYTES * (self.slots + 1)
        self.dynamic_at = _rounded(self.code_end, _PAGE)
        self.slots_at = self.dynamic_at + len(self._dynamic())
        self.end = self.slots_at + 8 * self.slots

    def _string(self, text: str) -> int:
        at = len(self.strings)
        self.strings += text.encode() + b"\0"
        return at

    def content(self) -> bytes:
        image = bytearray(self.end)
        parts = {
            0: self._header() + self._segments(),
            self.symbols_at: self._symbols(),
            self.hash_at: self._hash(),
            self.strings_at: self.strings,
            self.definitions_at: self._definitions(self.name),
            self.versions_at: self._versions(),
            self.code_at: b"".join(map(self._stub, range(self.slots))) + _RETURN_0[self.machine],
            self.dynamic_at: self._dynamic(),
        }
        for at, part in parts.items():
            image[at : at + len(part)] = part
        return bytes(image)

    def _header(self) -> bytes:
        identity = b"\x7fELF" + bytes((2, 1, 1)) + bytes(9)
        shared = struct.pack("<HHI", 3, _MACHINES[self.machine], 1)
        places = struct.pack("<QQQI", 0, _HEADER_BYTES, 0, 0)
        sizes = struct.pack("<HHHHHH", _HEADER_BYTES, _SEGMENT_BYTES, 4, 64, 0, 0)
        return identity + shared + places + sizes

    def _segments(self) -> bytes:
        data = self.end - self.dynamic_at
        dynamic = len(self._dynamic())
        return b"".join((
            _segment(_LOAD, _READ | _EXECUTE, 0, self.code_end, _PAGE),
            _segment(_LOAD, _READ | _WRITE, self.dynamic_at, data, _PAGE),
            _segment(_DYNAMIC, _READ | _WRITE, self.dynamic_at, dynamic, 8),
            _segment(_STACK, _READ | _WRITE, 0, 0, 16),
        ))  # fmt: skip

    def _symbols(self) -> bytes:
        tables = (
            _symbol(self.offsets[SLOTS], _GLOBAL_OBJECT, self.slots_at, 8 * self.slots),
            _symbol(self.offsets[STUBS], _GLOBAL_OBJECT, self.code_at, STUB_BYTES * (self.slots + 1)),
        )
        functions = (
            _symbol(self.offsets[name], _GLOBAL_FUNCTION, self.code_at + STUB_BYTES * index, STUB_BYTES)
            for index, name in enumerate(self.functions)
        )
        return b"".join((bytes(_SYMBOL_BYTES), *tables, *functions))

    def _hash(self) -> bytes:
        """A hash table of one bucket: a chain through all symbols."""
        count = self._symbol_count
        chain = [0, *range(2, count), 0]
        return struct.pack(f"<{3 + count}I", 1, count, 1, *chain)

    def _definitions(self, name: str) -> bytes:
        """The versions that are defined: the file's own name, as the base, and the functions' version."""
        if self.version is None:
            return b""
        found = b""
        for number, (text, flags) in enumerate(((name, _BASE), (self.version, 0)), 1):
            more = _DEFINITION_BYTES if number == 1 else 0
            head = struct.pack("<HHHHIII", 1, flags, number, 1, _hash_of(text), 20, more)
            found += head + struct.pack("<II", self.offsets[text], 0)
        return found

    def _versions(self) -> bytes:
        """Of which version each symbol is: the first of none, the variables of the base, the functions."""
        if self.version is None:
            return b""
        return struct.pack(f"<{self._symbol_count}H", 0, 1, 1, *[2] * len(self.functions))

    def _version_entries(self) -> tuple[tuple[int, int], ...]:
        if self.version is None:
            return ()
        return (_DT_VERSYM, self.versions_at), (_DT_VERDEF, self.definitions_at), (_DT_VERDEFNUM, 2)

    def _dynamic(self) -> bytes:
        entries = (
            (_DT_SONAME, self.soname),
            (_DT_HASH, self.hash_at),
            (_DT_STRTAB, self.strings_at),
            (_DT_SYMTAB, self.symbols_at),
            (_DT_STRSZ, len(self.strings)),
            (_DT_SYMENT, _SYMBOL_BYTES),
            *self._version_entries(),
            (0, 0),
        )
        return b"".join(struct.pack("<QQ", *entry) for entry in entries)

    def _stub(self, index: int) -> bytes:
        at, slot = self.code_at + STUB_BYTES * index, self.slots_at + 8 * index
        return _x86_64_jump(at, slot) if self.machine == "x86_64" else _aarch64_jump(at, slot)


def _x86_64_jump(at: int, slot: int) -> bytes:
    """`endbr64; jmp *[rip + slot]`."""
    code = b"\xf3\x0f\x1e\xfa\xff\x25" + struct.pack("<i", slot - (at + 10))
    return code.ljust(STUB_BYTES, b"\xcc")


def _aarch64_jump(at: int, slot: int) -> bytes:
    """`bti c; adrp x16, slot; ldr x16, [x16, slot's low bits]; br x16`."""
    pages = (slot >> 12) - ((at + 4) >> 12)
    adrp = 0x90000010 | (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5
    ldr = 0xF9400210 | (slot & 0xFFF) >> 3 << 10
    return struct.pack("<IIII", 0xD503245F, adrp, ldr, 0xD61F0200)


def _segment(kind: int, flags: int, at: int, size: int, align: int) -> bytes:
    return struct.pack("<IIQQQQQQ", kind, flags, at, at, at, size, size, align)


def _symbol(name: int, kind: int, at: int, size: int) -> bytes:
    # Any section number but 0 says that the symbol is defined here; the file has no sections.
    return struct.pack("<IBBHQQ", name, kind, 0, 1, at, size)


def _hash_of(name: str) -> int:
    """The hash by which versions are found (System V ABI, Hash Table)."""
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ high >> 24) & ~high
    return value & 0xFFFFFFFF


def _rounded(size: int, unit: int) -> int:
    return -(-size // unit) * unit
