"""Assembles PTX into cubins with nvJitLink, in process, and reads what its log says of a kernel."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_USED = re.compile(r"used (\d+) registers(?:.*?(\d+) stack)?(?:.*?(\d+) bytes lmem)?")
_TARGET = re.compile(r"^\s*\.target\s+(sm_\w+)", re.MULTILINE)
_SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")


class LinkFailure(Exception):
    """nvJitLink refused the PTX; the message is the first error of its log."""


class UndefinedFunction(LinkFailure):
    """The PTX calls a function that none of the known libraries holds."""


@dataclass(frozen=True, slots=True)
class Resources:
    """What one thread of the kernel needs: registers, and bytes of stack, spills and local memory."""

    registers: int
    stack_bytes: int
    spill_store_bytes: int
    spill_load_bytes: int
    local_bytes: int


def assemble(
    ptx: str, capability: tuple[int, int], max_registers: int | None, optimise: bool = True
) -> tuple[bytes, Resources]:
    """The cubin of a kernel and its resources; raises LinkFailure when nvJitLink refuses the PTX."""
    cubin, log = _linked([ptx], capability, max_registers, optimise)
    return cubin, read_log(log)


def assemble_together(
    texts: Sequence[str], capability: tuple[int, int], max_registers: int | None, optimise: bool = True
) -> bytes:
    """One cubin of several kernels, each with the instructions that it has alone.

    Their names must differ, and none may need an architecture of its own. Raises LinkFailure where nvJitLink
    refuses one of them.
    """
    return _linked(texts, capability, max_registers, optimise)[0]


def _linked(
    texts: Sequence[str], capability: tuple[int, int], max_registers: int | None, optimise: bool
) -> tuple[bytes, str]:
    """The cubin of some texts, and the log."""
    from cuda.bindings import nvjitlink

    options = [f"-arch={_architecture(texts[0], capability)}", "-verbose", "-lineinfo"]
    if max_registers:
        options.append(f"-maxrregcount={max_registers}")
    if not optimise:
        options.append("-O0")
    try:
        handle = nvjitlink.create(len(options), options)
    except nvjitlink.nvJitLinkError as error:
        # An architecture that this version no longer knows, for one.
        raise LinkFailure(str(error)) from None
    try:
        for data in (text.encode() for text in texts):
            nvjitlink.add_data(handle, nvjitlink.InputType.PTX, data, len(data), "kernel")
        if any("cudaCG" in text for text in texts) and (library := _device_runtime()):
            nvjitlink.add_file(handle, nvjitlink.InputType.LIBRARY, library)
        nvjitlink.complete(handle)
        cubin = bytearray(nvjitlink.get_linked_cubin_size(handle))
        nvjitlink.get_linked_cubin(handle, cubin)
        return bytes(cubin), _text(handle, nvjitlink.get_info_log_size, nvjitlink.get_info_log)
    except nvjitlink.nvJitLinkError as error:
        log = _text(handle, nvjitlink.get_error_log_size, nvjitlink.get_error_log)
        lines = [" ".join(line.split()) for line in log.splitlines() if "error" in line.lower()]
        kind = UndefinedFunction if any("Undefined reference" in line for line in lines) else LinkFailure
        raise kind(lines[0] if lines else str(error)) from None
    finally:
        nvjitlink.destroy(handle)


def _architecture(ptx: str, capability: tuple[int, int]) -> str:
    """The architecture to assemble for: the capability's, with the suffix of code that holds for it alone."""
    found = f"sm_{capability[0]}{capability[1]}"
    target = _TARGET.search(ptx)
    return target[1] if target is not None and target[1].rstrip("af") == found else found


def read_log(log: str) -> Resources:
    """The resources in nvJitLink's verbose log, which has lines for device functions too.

    The kernel's figures are those after "Compiling entry function"; its register count already covers what it
    calls.
    """
    entry = log[max(log.find("Compiling entry function"), 0) :]
    spills = _SPILLS.search(entry)
    used = [found for found in _USED.finditer(entry) if found.group(3) is not None]
    registers = used[-1] if used else None
    if registers is None:
        raise LinkFailure("the assembler's log does not say how many registers the kernel needs")
    stack, stores, loads = (int(number) for number in spills.groups()) if spills else (0, 0, 0)
    stack = int(registers.group(2) or stack)
    return Resources(
        registers=int(registers.group(1)),
        stack_bytes=stack,
        spill_store_bytes=stores,
        spill_load_bytes=loads,
        local_bytes=max(stack, int(registers.group(3))),
    )


def _device_runtime() -> str | None:
    """The path of NVIDIA's device runtime, which grid-wide synchronisation needs; None if not found."""
    from numba.cuda.cudadrv.libs import get_cudalib

    path = get_cudalib("cudadevrt", static=True)
    return path if path and Path(path).is_file() else None


def _text(handle: int, size: Any, read: Any) -> str:
    buffer = bytearray(size(handle))
    read(handle, buffer)
    return buffer.decode(errors="replace").rstrip("\0")
