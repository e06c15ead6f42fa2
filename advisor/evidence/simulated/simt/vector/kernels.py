"""A kernel compiled for the vector JIT."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.instruction_costs import load_round_slots
from advisor.evidence.simulated.simt.load_rounds import load_rounds
from advisor.evidence.simulated.simt.machine_code.chains import longest_chain
from advisor.evidence.simulated.simt.machine_code.slots import machine_slots
from advisor.evidence.simulated.simt.machine_code.uses import uses
from advisor.evidence.simulated.simt.machine_code.wide_loads import joined_loads
from advisor.evidence.simulated.simt.ptx.inlining import inlined
from advisor.evidence.simulated.simt.ptx.ptx_program import Function, Module, Variable
from advisor.evidence.simulated.simt.vector.objects import Loaded, load, object_code
from advisor.evidence.simulated.simt.vector.runtime import runtime
from advisor.evidence.simulated.simt.vector.stored_code import keep_code, stored_code
from advisor.evidence.simulated.simt.vector.translation.function import translate
from advisor.evidence.simulated.simt.vector.translation.warp_function import (
    WarpFunction,
    warp_as_data,
    warp_from_data,
)
from advisor.model.storage.cache import Cache

# How often warps have executed each instruction, on average, when optimised code begins to pay:
# docs/benchmarks/simt.md.
_WORTH_OPTIMISING = 400_000
# LLVM's time for optimised code grows faster than the kernel: above this it takes minutes.
_MOST_OPTIMISED = 10_000


@dataclass
class Kernel:
    """A kernel that can run: its PTX with all calls inlined, what the translation found, and loaded code.

    The code is not `optimised` at first. Both run on the same memory with the same results and counts, so one
    takes the other's place between any two blocks. `executed` counts instructions of warps in ended launches.
    """

    module: Module
    function: Function
    warp: WarpFunction
    code: Loaded
    runtime: Loaded
    store: Cache | None = None
    optimised: bool = False
    executed: int = 0
    variables: WeakKeyDictionary[DeviceMemory, dict[str, int]] = field(default_factory=WeakKeyDictionary)
    _optimising: threading.Lock = field(default_factory=threading.Lock)
    _earlier: list[Loaded] = field(default_factory=list)

    @property
    def address(self) -> int:
        """Where the warp's function begins."""
        return self.code.addresses["warp"]

    @cached_property
    def lengths(self) -> npt.NDArray[np.int64]:
        """The number of instructions in each block."""
        return np.array([one.last - one.first for one in self.warp.blocks], np.int64)

    def optimise_when_worth(self, executing: int) -> None:
        """Optimise the code if as much was executed that it pays, `executing` in launches under way."""
        length = int(self.lengths.sum())
        if self.optimised or length > _MOST_OPTIMISED:
            return
        if self.executed + executing < _WORTH_OPTIMISING * length:
            return
        # Other threads go on with the code that is there.
        if self._optimising.acquire(blocking=False):
            try:
                self.optimise()
            finally:
                self._optimising.release()

    def optimise(self) -> None:
        """Put optimised code in the place of the first one, here and in the store."""
        if self.optimised:
            return
        _, text = translate(self.module, self.function)
        code = object_code(text, optimised=True)
        # A thread may be running it.
        self._earlier.append(self.code)
        self.code = _loaded(code, self.warp, self.runtime)
        self.optimised = True
        if self.store is not None:
            facts = _as_data((self.warp, True))
            keep_code(self.store, _known_by(self.module, self.function.name), code, facts)

    @cached_property
    def prints(self) -> bool:
        """Whether the kernel calls functions of the host, of which printing is one."""
        return any(item.opcode == "extern" for item in self.function.instructions)

    @cached_property
    def load_rounds(self) -> tuple[int, ...]:
        """How often a warp waits for loads in each block of instructions."""
        return tuple(
            load_rounds(self.function.instructions[one.first : one.last]) for one in self.warp.blocks
        )

    @cached_property
    def joined_loads(self) -> frozenset[int]:
        """The loads of shared memory that come with a wider load, by the number of their instruction."""
        variables = [*self.module.variables.values(), *self.function.variables]
        alignments = {one.name: one.align for one in variables}
        return joined_loads(uses(self.function), self.warp.blocks, alignments)

    @cached_property
    def slots(self) -> tuple[int, ...]:
        """The machine instructions that each instruction becomes."""
        found = machine_slots(self.function)
        return tuple(0 if number in self.joined_loads else one for number, one in enumerate(found))

    @cached_property
    def chains(self) -> tuple[Counter[str], ...]:
        """The longest chain of dependent instructions in each block, its steps by kind."""
        return tuple(
            longest_chain(self.function.instructions[one.first : one.last], self.slots[one.first : one.last])
            for one in self.warp.blocks
        )

    @cached_property
    def block_slots(self) -> tuple[int, ...]:
        """The time of a warp in each block of instructions, in issue slots, its waits for loads included."""
        return tuple(
            sum(self.slots[one.first : one.last]) + rounds * load_round_slots()
            for one, rounds in zip(self.warp.blocks, self.load_rounds, strict=True)
        )

    def variable_addresses(self, memory: DeviceMemory) -> list[int]:
        """The addresses of the kernel's global and constant variables."""
        own = {one.name: one for one in self.function.variables}
        return [
            self._own_address(own[name], memory)
            if name in own
            else module_variable(self.module, name, memory)
            for name in self.warp.variables
        ]

    def _own_address(self, variable: Variable, memory: DeviceMemory) -> int:
        known = self.variables.setdefault(memory, {})
        if variable.name not in known:
            known[variable.name] = _placed(variable, memory)
        return known[variable.name]


_of_modules: WeakKeyDictionary[DeviceMemory, dict[tuple[str, str], int]] = WeakKeyDictionary()


def module_variable(module: Module, name: str, memory: DeviceMemory) -> int:
    """The address of a variable that all kernels of a module share; raises KeyError for an unknown name."""
    variable = module.variables[name]
    known = _of_modules.setdefault(memory, {})
    key = (module.digest or str(id(module)), name)
    if key not in known:
        known[key] = _placed(variable, memory)
    return known[key]


def _placed(variable: Variable, memory: DeviceMemory) -> int:
    address = memory.allocate(variable.size)
    if variable.initial:
        memory.view(address, len(variable.initial))[:] = bytearray(variable.initial)
    return address


def compile_kernel(module: Module, name: str, cache: Cache | None = None) -> Kernel:
    """The kernel of a PTX module by its name; raises Unsupported for what the machine does not execute.

    `cache` keeps code on disk and must be the user's own, for what is read from it is executed.
    """
    function = inlined(module, module.functions[name])

    def translated() -> tuple[bytes, tuple[WarpFunction, bool]]:
        warp, text = translate(module, function)
        return object_code(text, optimised=False), (warp, False)

    store = cache if module.code_digest else None
    code, (warp, optimised) = stored_code(store, _known_by(module, name), translated, _as_data, _from_data)
    routines = runtime(cache)
    return Kernel(module, function, warp, _loaded(code, warp, routines), routines, store, optimised)


def _known_by(module: Module, name: str) -> str:
    # Code knows nothing of the source's lines, so a kernel that has only moved is not translated again.
    return f"{module.code_digest} {name}"


def _loaded(code: bytes, warp: WarpFunction, routines: Loaded) -> Loaded:
    called = {routine: routines.addresses[routine] for routine in warp.routines}
    return load("kernel", code, ["warp"], called)


def _as_data(facts: tuple[WarpFunction, bool]) -> dict[str, Any]:
    warp, optimised = facts
    return {"warp": warp_as_data(warp), "optimised": optimised}


def _from_data(data: dict[str, Any]) -> tuple[WarpFunction, bool]:
    return warp_from_data(data["warp"]), bool(data["optimised"])
