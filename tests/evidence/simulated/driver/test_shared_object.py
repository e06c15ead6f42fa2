"""The library's bytes: what the system's loader makes of them, and jumps as the manuals encode them."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys

import pytest

from advisor.evidence.simulated.driver.shared_object import SLOTS, STUB_BYTES, STUBS, shared_object
from advisor.model.errors import AdvisorError

on_this_machine = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"),
    reason="the library is made for Linux on x86-64 and 64-bit Arm",
)


def _loaded(name: str, functions: list[str], spare: int) -> ctypes.CDLL:
    file = os.memfd_create(name)
    os.write(file, shared_object(platform.machine(), name, functions, spare))
    # The file stays open: the loader takes a library loaded by the same path for the same one.
    return ctypes.CDLL(f"/proc/self/fd/{file}")


@on_this_machine
def test_functions_jump_to_what_their_slots_hold() -> None:
    library = _loaded("libjumps.so.1", ["twice", "thrice"], spare=1)
    slots = (ctypes.c_void_p * 3).in_dll(library, SLOTS)
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
    calls = [kind(lambda value, factor=factor: factor * value) for factor in (2, 3, 5)]
    for index, call in enumerate(calls):
        slots[index] = ctypes.cast(call, ctypes.c_void_p).value
    assert (library.twice(7), library.thrice(7)) == (14, 21)
    first = ctypes.addressof(ctypes.c_char.in_dll(library, STUBS))
    assert kind(first + 2 * STUB_BYTES)(7) == 35
    assert kind(first + 3 * STUB_BYTES)(7) == 0


@on_this_machine
def test_the_library_is_found_by_its_name() -> None:
    _loaded("libfound.so.1", ["nothing"], spare=0)
    assert ctypes.CDLL("libfound.so.1").nothing is not None
    with pytest.raises(OSError, match="libother"):
        ctypes.CDLL("libother.so.1")


@on_this_machine
def test_a_name_that_is_not_defined_is_not_found() -> None:
    library = _loaded("libnames.so.1", ["cuInit"], spare=0)
    with pytest.raises(AttributeError):
        library.cuFini  # noqa: B018


def test_the_jump_of_64_bit_arm() -> None:
    """Against the Arm architecture's encodings, with the slot in the page behind the code's."""
    content = shared_object("aarch64", "libcuda.so.1", ["cuInit"], 0)
    data = struct.unpack_from("<Q", content, 64 + 56 + 16)[0]
    at = content.index(struct.pack("<I", 0xD503245F))
    bti, adrp, load, jump = struct.unpack_from("<IIII", content, at)
    slot = data + 7 * 16
    pages = (adrp >> 29 & 3) | (adrp >> 5 & 0x7FFFF) << 2
    assert (bti, jump) == (0xD503245F, 0xD61F0200)
    assert adrp & 0x9F00001F == 0x90000010
    assert load & 0xFFC003FF == 0xF9400210
    assert ((at + 4) >> 12 << 12) + (pages << 12) + (load >> 10 & 0xFFF) * 8 == slot


def test_another_machine_is_refused() -> None:
    with pytest.raises(AdvisorError, match="riscv64"):
        shared_object("riscv64", "libcuda.so.1", ["cuInit"], 0)


@on_this_machine
@pytest.mark.parametrize("name", ["libversioned.so.1", "libcublas.so.13"])
def test_functions_of_a_version_are_found_by_it(name: str) -> None:
    file = os.memfd_create(name)
    os.write(file, shared_object(platform.machine(), name, ["answer"], 0, version=name))
    library = ctypes.CDLL(f"/proc/self/fd/{file}")
    kind = ctypes.CFUNCTYPE(ctypes.c_int)
    call = kind(lambda: 42)
    (ctypes.c_void_p * 1).in_dll(library, SLOTS)[0] = ctypes.cast(call, ctypes.c_void_p).value
    look_up = ctypes.CDLL(None).dlvsym
    look_up.restype, look_up.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
    found = look_up(library._handle, b"answer", name.encode())
    assert found and kind(found)() == 42
    assert not look_up(library._handle, b"answer", b"libother.so.1")
