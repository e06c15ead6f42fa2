"""Names of kernels as reports have them: Numba's, C++'s, mangled ones."""

from __future__ import annotations

import pytest

from advisor.evidence.measured.reports.cuda_calls import communicates
from advisor.evidence.measured.reports.kernel_names import readable, shortened

OPTIONS = "cw51cXTLSUwv1sDUaKthoaNgoKmjgOR3W3CwAkMXLaJtQYkOIgxJU0gCqOkEJoHkbttqdVhoqlspQGNFHSgJ5BnXagIA"


def test_a_mangled_name_that_numba_cuda_gives() -> None:
    """As `cuda.compile_ptx` of numba-cuda 0.30 names a method of a class."""
    found = readable(f"_ZN8__main__5Model4stepB2v1B{len(OPTIONS)}{OPTIONS}E5ArrayIfLi1E1C7mutable7alignedE")
    assert (found.name, found.parts) == ("Model.step", ("__main__", "Model", "step"))


def test_a_kernel_defined_in_a_function() -> None:
    found = readable(f"_ZN6cudapy4blur5outer12_3clocals_3e5innerB2v2B{len(OPTIONS)}{OPTIONS}Ex")
    assert found.parts == ("blur", "outer", "<locals>", "inner")


def test_underscores_stay() -> None:
    """`_ad` in vector_add is no code for a character."""
    found = readable(
        f"cudapy::kernels::vector_add::vector_add_first[abi:v1][abi:{OPTIONS}](Array<float, 1, C>)"
    )
    assert found.name == "kernels.vector_add.vector_add_first"
    assert found.types == ("Array<float, 1, C>",)


@pytest.mark.parametrize(
    ("reported", "name", "types"),
    [
        ("vectorAdd(const float *, float *, int)", "vectorAdd", ("const float *", "float *", "int")),
        ("void scale<float, (int)4>(float *, T1)", "scale<float, (int)4>", ("float *", "T1")),
        (
            "void at::native::(anonymous namespace)::cat<4u>(int)",
            "at::native::(anonymous namespace)::cat<4u>",
            ("int",),
        ),
        (
            "void k<{lambda(int)#1}>(int, {lambda(int, int)#1})",
            "k<{lambda(int)#1}>",
            ("int", "{lambda(int, int)#1}"),
        ),
        ("triton_poi_fused_add_0", "triton_poi_fused_add_0", ()),
        ("ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn", ()),
        ("add(float*) [clone .kd]", "add", ("float*",)),
        ("", "", ()),
        (")", ")", ()),
    ],
)
def test_other_names(reported: str, name: str, types: tuple[str, ...]) -> None:
    found = readable(reported)
    assert (found.name, found.types, found.parts) == (name, types, ())


def test_mangled_cpp_names_keep_their_function() -> None:
    assert readable("_Z10vector_addPfS_i").name == "vector_add"


def test_long_names_lose_their_middle() -> None:
    found = shortened("a" * 50 + "b" * 50, 41)
    assert found == "a" * 20 + "…" + "b" * 20
    assert shortened("short") == "short"


def test_kernels_that_exchange_data_with_other_gpus() -> None:
    assert communicates("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)")
    assert communicates("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t")
    assert not communicates("copy_to_nccl_buffer(float*)")
