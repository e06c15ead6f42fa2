"""Kernels that are hostile, endless, huge or not supported end as unknown, within the limits."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from numba import cuda, float32, float64, int32, int64
from requests_of_functions import ENOUGH, along, extent, request_of

from advisor.evidence.simulated.synthesis.request import Limits
from advisor.evidence.simulated.synthesis.synthesise import synthesise
from advisor.model.machine_code.kernel_code import KernelCode, ParameterSlot
from advisor.program.index_relations.relations import IndexRelations

ONE_AXIS = IndexRelations(equal=(along(0, extent("x")),))
POINTER = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry follow(.param .u64 where, .param .u64 there)
{
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [where];
    ld.param.u64 %rd3, [there];
    ld.global.u64 %rd2, [%rd1];
    st.global.u64 [%rd3], %rd2;
    ret;
}
"""


def with_limits(function, *types, relations=ONE_AXIS, **limits):
    return request_of(function, *types, relations=relations, limits=replace(ENOUGH, **limits))


def never_ending(x):
    i = cuda.grid(1)
    while x[i] < 2:
        if x[i] == 5:
            x[i] = 3


def test_an_endless_loop():
    begin = time.process_time()
    found = synthesise(with_limits(never_ending, float32[::1], seconds=3.0))
    assert found.unknown == (
        "Launches of the kernel that were made up did not come to their end within the limits."
    )
    assert not found.lines
    assert not found.values
    # Compiling and translating included.
    assert time.process_time() - begin < 10.0


def test_threads_that_wait_for_each_other():
    def waiting(x):
        while cuda.atomic.add(x, 0, 0) < 1_000_000:
            cuda.syncthreads()

    found = synthesise(with_limits(waiting, int32[::1], seconds=3.0))
    assert "did not come to their end" in found.unknown


def test_local_arrays_that_no_machine_has():
    elements = 1 << 22

    def large(x):
        i = cuda.grid(1)
        own = cuda.local.array(elements, float64)
        for k in range(x.size):
            own[k] = x[k]
        x[i] = own[i]

    found = synthesise(with_limits(large, float64[::1], memory_bytes=1 << 29))
    # 256 threads of eight bytes for each element.
    assert found.unknown.startswith(f"A block takes {256 * 8 * elements:,} bytes of local and shared memory")
    assert not found.launches


def test_a_shared_array_that_no_machine_has():
    def large(x):
        i = cuda.grid(1)
        tile = cuda.shared.array(1 << 26, float64)
        tile[i] = x[i]
        cuda.syncthreads()
        x[i] = tile[x.size - i]

    found = synthesise(with_limits(large, float64[::1], memory_bytes=1 << 29))
    assert f"{8 << 26:,} bytes" in found.unknown


def test_pointers_that_data_decides():
    slots = (ParameterSlot("where", "scalar", "<u8"), ParameterSlot("there", "scalar", "<u8"))
    code = KernelCode("follow", POINTER, "follow", slots, ("uint64", "uint64"))
    request = replace(with_limits(never_ending, float32[::1]), codes=(code,))
    found = synthesise(request)
    assert found.unknown == "In all launches of the kernel that were made up accesses left their arrays."


def test_indices_far_outside_of_every_array():
    def far(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[int64(x[i] * 1e12)] = x[i]

    relations = IndexRelations(equal=(along(0, extent("x"), extent("out")),))
    found = synthesise(with_limits(far, float64[::1], float64[::1], relations=relations))
    assert all(one.out_of_bounds for one in found.launches)
    assert found.unknown == "In all launches of the kernel that were made up accesses left their arrays."


def test_a_kernel_that_prints_without_end(capfd):
    def talking(x):
        i = cuda.grid(1)
        for k in range(1 << 20):
            print(i, k)
        x[i] = 1

    found = synthesise(with_limits(talking, float32[::1], seconds=3.0))
    assert "did not come to their end" in found.unknown
    assert capfd.readouterr() == ("", "")


def test_more_instructions_than_are_translated():
    found = synthesise(with_limits(never_ending, float32[::1], instructions=5))
    assert "PTX instructions; up to 5 are translated." in found.unknown


def test_an_instruction_that_the_machine_does_not_execute():
    request = with_limits(never_ending, float32[::1])
    text = POINTER.replace("st.global.u64 [%rd3], %rd2;", "bogus.u64 %rd2, %rd1;")
    slots = (ParameterSlot("where", "scalar", "<u8"), ParameterSlot("there", "scalar", "<u8"))
    code = KernelCode("follow", text, "follow", slots, ("uint64", "uint64"))
    found = synthesise(replace(request, codes=(code,)))
    assert found.unknown.startswith("The simulated GPU does not run the kernel: unsupported PTX instruction")


def test_text_that_is_no_ptx():
    request = with_limits(never_ending, float32[::1])
    found = synthesise(replace(request, codes=(replace(request.codes[0], ptx="}"),)))
    assert found.unknown.startswith("The simulated GPU does not run the kernel: PTX line 1")


def test_parameters_that_are_not_those_of_the_types():
    request = with_limits(never_ending, float32[::1])
    slots = (*request.codes[0].slots, ParameterSlot("n", "scalar", "<i4"))
    found = synthesise(replace(request, codes=(replace(request.codes[0], slots=slots),)))
    assert found.unknown.startswith("The parameters of the kernel are not those of its types")


@pytest.mark.parametrize("dtype", ["O", "unknown(1)", ""])
def test_types_of_which_there_are_no_values(dtype):
    request = with_limits(never_ending, float32[::1])
    slots = (replace(request.codes[0].slots[0], dtype=dtype),)
    found = synthesise(replace(request, codes=(replace(request.codes[0], slots=slots),)))
    assert "parameter x" in found.unknown


def test_a_kernel_that_is_not_compiled():
    request = replace(with_limits(never_ending, float32[::1]), codes=())
    assert synthesise(request).unknown == "The kernel is not compiled."


def test_more_memory_than_the_limit(monkeypatch):
    def no_memory(*_):
        raise MemoryError

    monkeypatch.setattr("advisor.evidence.simulated.synthesis.attempts.make_arguments", no_memory)
    found = synthesise(with_limits(never_ending, float32[::1]))
    assert found.unknown == "Launches of the kernel that were made up need more memory than the limit."


def test_no_time_at_all():
    request = replace(with_limits(never_ending, float32[::1]), limits=Limits(0.0, 1 << 30, 20_000))
    assert "did not come to their end" in synthesise(request).unknown
