"""Names of kernels as reports have them: Numba's, C++'s, mangled ones."""

from __future__ import annotations

import pytest

from advisor.evidence.measured.reports.cuda_calls import communicates, is_of_library
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


@pytest.mark.parametrize(
    "reported",
    [
        "ampere_sgemm_32x32_sliced1x4_nn",
        "turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn",
        "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32_stage4",
        "void cutlass::Kernel2<cutlass_80_wmma_tensorop_f16_s161616gemm_f16_16x16_32x1_tn_align8>(Params)",
        "void gemv2T_kernel_val<int, int, float, float, float, 128, 16, 4, 4, false>(int, float)",
        "void splitKreduce_kernel<float, float, float, float, true, true, false>(float const*)",
        "cudnn_infer_volta_scudnn_128x64_relu_small_nn_v1",
        "void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>(float)",
        "void at_cuda_detail::cub::DeviceScanKernel<Policy, long>(long)",
        "void thrust::cuda_cub::core::_kernel_agent<Agent>(int)",
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)",
        "cupy_add__float32_float32_float32",
        "Cijk_Ailk_Bljk_SB_MT64x64x16_SE_K1",
    ],
)
def test_kernels_of_libraries(reported: str) -> None:
    assert is_of_library(readable(reported).name)


@pytest.mark.parametrize(
    "reported",
    [
        "gemm(float*, float*)",
        "sgemm_128x128(float*)",
        "void reduce_kernel<256>(float*)",
        "cutlass::Kernel<MyGemm>",
        "triton_poi_fused_add_0",
        "atomics(int*)",
        "nccl_like(float*)",
        "mine::cub::scan(int*)",
    ],
)
def test_kernels_that_a_program_may_have_itself(reported: str) -> None:
    assert not is_of_library(readable(reported).name)
