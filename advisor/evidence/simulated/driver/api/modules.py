"""Loaded PTX: modules, their kernels, and what the driver tells of a kernel."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from advisor.evidence.simulated.driver.device_properties import DeviceProperties
from advisor.evidence.simulated.driver.gpu import require
from advisor.evidence.simulated.driver.results import CallFailed, Result
from advisor.evidence.simulated.simt.ptx.ptx_program import Address, Function, Group, Module, Operand, Symbol
from advisor.evidence.simulated.simt.ptx.ptx_reader import PtxError, known_module
from advisor.model.errors import EvidenceUnavailable
from advisor.model.machine_code.nvjitlink import LinkFailure, Resources, assemble
from advisor.model.occupancy import occupancy

_ELF, _FATBIN = b"\x7fELF", b"\x50\xed\x55\xba"
_MAX_THREADS = r"\.entry\s+{name}\b[^{{]*?\.(?:max|req)ntid\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?"


@dataclass
class LoadedModule:
    """A PTX text with its program."""

    ptx: str
    program: Module

    def kernel(self, name: str) -> Function:
        """The kernel of a name; raises CallFailed for another name."""
        found = self.program.functions.get(name)
        require(found is not None and found.entry, Result.CUDA_ERROR_NOT_FOUND)
        return self.program.functions[name]


@dataclass
class LoadedKernel:
    """A kernel of a module; `dynamic_limit` is the dynamic shared memory that was opted in to, in bytes."""

    module: LoadedModule
    function: Function
    properties: DeviceProperties
    dynamic_limit: int | None = None
    settings: dict[int, int] = field(default_factory=dict)

    @cached_property
    def static_shared(self) -> int:
        """Bytes of static shared memory for each block."""
        return static_shared(self.function, self.module.program)

    @cached_property
    def constant_bytes(self) -> int:
        """Bytes of constant memory that the module declares."""
        return sum(one.size for one in self.module.program.variables.values() if one.space == "const")

    @cached_property
    def local_bytes(self) -> int:
        """Bytes of local memory for each thread as the PTX declares it; the assembler may need others."""
        return sum(one.size for one in self.function.variables if one.space == "local")

    @cached_property
    def launch_bound(self) -> int:
        """The most threads of a block: the kernel's own bound or the device's."""
        found = re.search(_MAX_THREADS.format(name=re.escape(self.function.name)), self.module.ptx)
        device = self.properties.limit("MAX_THREADS_PER_BLOCK")
        if found is None:
            return device
        bound = int(found[1]) * int(found[2] or 1) * int(found[3] or 1)
        return min(bound, device)

    @cached_property
    def resources(self) -> Resources | str:
        """What the assembler says of the kernel, or the reason why it says nothing."""
        try:
            return assemble(self.module.ptx, self.properties.capability, None)[1]
        except (LinkFailure, ImportError, RuntimeError) as problem:
            return str(problem)

    @property
    def registers(self) -> int | None:
        """Registers of each thread, None where no assembler can tell."""
        return self.resources.registers if isinstance(self.resources, Resources) else None

    @property
    def dynamic_shared_limit(self) -> int:
        """The most dynamic shared memory of a block, in bytes."""
        if self.dynamic_limit is not None:
            return self.dynamic_limit
        return max(0, self.properties.limit("MAX_SHARED_MEMORY_PER_BLOCK") - self.static_shared)

    def blocks_per_sm(self, threads: int, dynamic: int) -> int:
        """How many blocks one SM holds at a time."""
        try:
            return occupancy(
                self.properties.device,
                registers=self.registers or 0,
                shared_bytes=self.static_shared,
                block_threads=threads,
                dynamic_shared_bytes=dynamic,
            ).resident_blocks
        except (EvidenceUnavailable, ValueError):
            require(False)
        return 0


def load(image: int) -> LoadedModule:
    """The module that begins at an address of the host; raises CallFailed for anything but PTX."""
    require(image)
    start = ctypes.string_at(image, 4)
    require(start not in (_ELF, _FATBIN), Result.CUDA_ERROR_INVALID_IMAGE)
    text = ctypes.string_at(image).decode(errors="replace")
    try:
        return module_of(text)
    except PtxError as problem:
        raise CallFailed(Result.CUDA_ERROR_INVALID_PTX) from problem


@lru_cache(maxsize=16)
def module_of(ptx: str) -> LoadedModule:
    """The module of a PTX text; raises PtxError for what is not understood."""
    return LoadedModule(ptx, known_module(ptx))


def static_shared(kernel: Function, program: Module) -> int:
    """The bytes of static shared memory that a kernel and the functions of its module use."""
    used = _symbols(kernel)
    for function in program.functions.values():
        if not function.entry:
            used |= _symbols(function)
    shared = [*kernel.variables, *(one for one in program.variables.values() if one.name in used)]
    total = 0
    for one in shared:
        if one.space == "shared":
            total = -(-total // one.align) * one.align + one.size
    return total


def _symbols(function: Function) -> set[str]:
    return {name for one in function.instructions for operand in one.operands for name in _names(operand)}


def _names(operand: Operand) -> set[str]:
    if isinstance(operand, Group):
        return set().union(*map(_names, operand.items)) if operand.items else set()
    base: Any = operand.base if isinstance(operand, Address) else operand
    return {base.name} if isinstance(base, Symbol) else set()
