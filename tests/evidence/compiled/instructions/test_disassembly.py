"""Kernels whose machine code is read together have the numbers that each has alone."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from small_kernels import KERNELS

from advisor.evidence.compiled import CompiledEvidence, Target, compile_units
from advisor.evidence.compiled.compilers import machine_code
from advisor.evidence.compiled.compilers.machine_code import MachineCode
from advisor.evidence.compiled.compilers.process import Worker, WorkerLost
from advisor.evidence.compiled.compilers.worker_pool import WorkerStock, own_stock
from advisor.evidence.compiled.instructions.disassembly import DisassemblyFailure, taken_apart
from advisor.evidence.compiled.kernel_codes import KernelCodes

TARGET = Target((9, 0))
# Two that call a subroutine of one name, one that may use few registers, one without optimisation, two more.
ALONE = ("power_call", "root", "spilling", "debug", "square", "local")


def code(name: str, symbol: str, *instructions: str) -> str:
    """What nvdisasm prints of a function."""
    lines = [f"        /*{16 * at:04x}*/                   {one} ;" for at, one in enumerate(instructions)]
    head = [f'\t.section\t.text.{name},"ax",@progbits', f"        .type           {symbol},@function"]
    return "\n".join([*head, *lines, ""])


def cubin(**sizes: int) -> bytes:
    """An ELF file with sections of these sizes and nothing in them."""
    names = b"\0" + b"".join(b".text.%s\0" % name.encode() for name in sizes)
    header = struct.Struct("<IIQQQQIIQQ")
    starts = [names.index(b".text.%s\0" % name.encode()) for name in sizes]
    table = header.pack(0, 3, 0, 0, 0x40, len(names), 0, 0, 0, 0) + b"".join(
        header.pack(start, 1, 0, 0, 0, size, 0, 0, 0, 0)
        for start, size in zip(starts, sizes.values(), strict=True)
    )
    first = bytearray(0x40)
    struct.pack_into("<Q", first, 0x28, 0x40 + len(names))
    struct.pack_into("<HH", first, 0x3C, 1 + len(sizes), 0)
    return bytes(first) + names + table


POWER = code("power", "power", "DADD R2, R2, R4", "RET")
SECOND = code("power__1", "power__0", "DMUL R2, R2, R4", "RET", "NOP")
FIRST_KERNEL = code("one", "one", "CALL.ABS.NOINC `(power)", "BRA `(.L_x_1)", "EXIT")
SECOND_KERNEL = code("two", "two", "CALL.ABS.NOINC `(power__0)", "EXIT")
THIRD_KERNEL = code("three", "three", "EXIT")
LINKED = POWER + FIRST_KERNEL + SECOND + SECOND_KERNEL + THIRD_KERNEL


def test_each_kernel_has_the_functions_that_it_calls() -> None:
    cubins = [cubin(power=32, one=48), cubin(power=48, two=32), cubin(three=16)]
    assert taken_apart(LINKED, cubins) == [POWER + FIRST_KERNEL, SECOND + SECOND_KERNEL, THIRD_KERNEL]


@pytest.mark.parametrize(
    "own",
    [
        cubin(power=32, one=64),
        cubin(one=48),
        cubin(power=48, one=48),
        cubin(power=32, one=48, four=16),
        cubin(other=16),
    ],
    ids=["larger", "without what it calls", "calls another", "not all there", "not there"],
)
def test_a_kernel_that_is_not_found_as_it_was_is_none_of_them(own: bytes) -> None:
    assert taken_apart(LINKED, [own, cubin(three=16)]) == [None, THIRD_KERNEL]


def test_a_function_that_two_kernels_define_belongs_to_neither() -> None:
    assert taken_apart(LINKED, [cubin(three=16), cubin(three=16)]) == [None, None]


@pytest.fixture(scope="module")
def alone() -> CompiledEvidence:
    """The evidence of these kernels, each compiled and read for itself."""
    found = CompiledEvidence()
    for name in ALONE:
        one = compile_units([KERNELS[name]], TARGET, cache=None, timeout=120, jobs=1, stock=own_stock())
        found.by_kernel |= one.by_kernel
    assert found.by_kernel.keys() == set(ALONE)
    return found


@pytest.fixture(scope="module")
def stock() -> Iterator[WorkerStock]:
    """Processes that no other test used: a full one would be replaced between two of the kernels."""
    its_own = WorkerStock()
    yield its_own
    its_own.close()


def together(stock: WorkerStock, codes: KernelCodes | None = None) -> CompiledEvidence:
    units = [KERNELS[name] for name in ALONE]
    return compile_units(units, TARGET, cache=None, timeout=120, jobs=1, stock=stock, codes=codes)


@pytest.mark.parametrize("with_codes", [False, True], ids=["machine code", "code to execute too"])
def test_what_is_read_together_is_what_each_has_alone(
    with_codes: bool, alone: CompiledEvidence, stock: WorkerStock, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[int] = []
    disassemble = machine_code.disassemble

    def counted(program: str, cubin: bytes, timeout: float, *options: tuple[str, ...]) -> str:
        runs.append(len(cubin))
        return disassemble(program, cubin, timeout, *options)

    monkeypatch.setattr(machine_code, "disassemble", counted)
    assert together(stock, KernelCodes(None) if with_codes else None) == alone
    # Of four, of one without optimisation, and twice of one that may use few registers.
    assert len(runs) == 4


def _lost() -> dict[str, str]:
    raise WorkerLost(timed_out=True)


@pytest.mark.parametrize(
    "answer",
    [lambda *_: {"failure": "two of one name"}, lambda *_: {}, _lost],
    ids=["refused", "none", "lost"],
)
def test_kernels_that_cannot_be_linked_are_read_one_by_one(
    answer: Callable[[], dict[str, str]],
    alone: CompiledEvidence,
    stock: WorkerStock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled = Worker.compile

    def compile_or_refuse(self: Worker, request: dict[str, object], timeout: float) -> dict[str, object]:
        return answer() if "together" in request else compiled(self, request, timeout)

    monkeypatch.setattr(Worker, "compile", compile_or_refuse)
    assert together(stock) == alone


def test_what_nvdisasm_does_not_read_together_is_read_one_by_one(
    alone: CompiledEvidence, stock: WorkerStock, monkeypatch: pytest.MonkeyPatch
) -> None:
    disassemble, linked = machine_code.disassemble, MachineCode._linked
    refusals: list[bytes] = []

    def noted(*asked: Any) -> bytes:
        refusals.append(linked(*asked))
        return refusals[-1]

    def refused(program: str, cubin: bytes, timeout: float, *options: tuple[str, ...]) -> str:
        if cubin in refusals:
            raise DisassemblyFailure("too many")
        return disassemble(program, cubin, timeout, *options)

    monkeypatch.setattr(MachineCode, "_linked", noted)
    monkeypatch.setattr(machine_code, "disassemble", refused)
    assert together(stock) == alone
    assert len(refusals) == 1


def test_what_cannot_be_read_at_all_is_known_without_its_instructions_and_asked_again(
    alone: CompiledEvidence, stock: WorkerStock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> str:
        raise DisassemblyFailure("none")

    monkeypatch.setattr(machine_code, "disassemble", refused)
    found = together(stock).by_kernel
    assert found.keys() == alone.by_kernel.keys()
    for name, kernel in found.items():
        assert kernel.resources == alone.by_kernel[name].resources
        assert "sass_instructions" not in kernel.instructions
    assert replace(found["square"], instructions={}, lines=()) == replace(
        alone.by_kernel["square"], instructions={}, lines=()
    )
