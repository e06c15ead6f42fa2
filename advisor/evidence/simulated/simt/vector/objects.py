"""Object code from LLVM text, and its functions in this process."""

from __future__ import annotations

import functools
import itertools
import threading
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm

_LOCK = threading.Lock()
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Loaded:
    """Functions of compiled code by name; the code lives as long as this object."""

    addresses: dict[str, int]
    kept: Any


@functools.cache
def _machine(level: int) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=level,
        reloc="pic",
        codemodel="small",
        jit=True,
    )


def object_code(text: str, optimised: bool) -> bytes:
    """The object code of LLVM text for this processor; optimised it takes LLVM several times as long."""
    with _LOCK:
        machine = _machine(1 if optimised else 0)
        module = llvm.parse_assembly(text)
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        if optimised:
            _optimise(module, machine)
        return bytes(machine.emit_object(module))


def _optimise(module: Any, machine: Any) -> None:
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    builder = llvm.create_pass_builder(machine, options)
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.run(module, builder)


@functools.cache
def _compiler() -> Any:
    # RuntimeDyld places each section of an object by itself and aborts the process where two of them lie
    # more than 2 GB apart, as they do beside large arrays; JITLink places an object in one piece.
    return llvm.create_lljit_compiler(_machine(1), use_jit_link=True, suppress_errors=False)


def load(name: str, code: bytes, exports: list[str], imports: dict[str, int]) -> Loaded:
    """The functions of object code that are exported; `imports` are addresses of what it calls."""
    with _LOCK:
        builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
        for symbol, address in imports.items():
            builder.import_symbol(symbol, address)
        for symbol in exports:
            builder.export_symbol(symbol)
        tracker = builder.link(_compiler(), f"{name}-{next(_numbers)}")
        return Loaded({symbol: int(tracker[symbol]) for symbol in exports}, tracker)
