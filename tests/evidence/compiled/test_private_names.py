"""The names of numba-cuda that are private and that compiling without a GPU rests on."""

from __future__ import annotations

import subprocess
import sys

import pytest

from advisor.evidence.compiled.instructions.ptx import count_ptx, static_shared_bytes
from advisor.evidence.compiled.instructions.sass import count_sass
from advisor.model.machine_code.nvjitlink import LinkFailure, read_log

needs_compiler = pytest.mark.skipif(
    sys.platform not in ("linux", "win32"), reason="NVIDIA publishes no compiler packages for this system"
)

PROGRAM = """
from advisor.evidence.compiled.compilers.compiler import stand_in_for_device
stand_in_for_device((8, 6))
from numba import cuda
from numba.cuda import api, compiler, dispatcher
for module in (api, compiler, dispatcher):
    assert module.get_current_device().compute_capability == (8, 6), module
"""


@needs_compiler
def test_the_device_stand_in_reaches_all_modules_that_ask_for_a_device() -> None:
    # In a process of its own: the stand-in must not stay behind in this one.
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr


PTX = """
.visible .shared .align 4 .b8 small[6];
.shared .align 16 .b8 tile[256];
.extern .shared .align 16 .b8 dynamic[];
.func  (.param .b64 func_retval0) __internal_helper(
	.param .b64 p0
)
{
	mul.f64 	%fd1, %fd2, %fd3;
	fma.rn.f64 	%fd1, %fd2, %fd3, %fd1;
	ret;
}
.visible .entry kernel(
	.param .u64 kernel_param_0
)
{
	.loc	1 1 0
	ld.param.u64 	%rd1, [kernel_param_0];
	.loc	3 77 5, function_name $L__info_string1, inlined_at 1 4 9
	@%p1 add.f64 	%fd1, %fd2, %fd3;
	.loc	2 2 1, function_name $L__info_string0, inlined_at 1 5 1
	cvt.f64.f32 	%fd4, %f1;
	div.rn.f64 	%fd4, %fd4, %fd1;
	.loc	1 6 1
	div.s64 	%rd2, %rd3, %rd4;
	rem.u32 	%r1, %r2, 7;
	st.global.f64 	[%rd1], %fd4;
	mov.f64 	%fd5, 0d0000000000000000;
	selp.f64 	%fd6, %fd5, %fd4, %p1;
	cvt.s64.s32 	%rd9, %r1;
	.loc	1 7 1
	call.uni (retval0),
	__internal_helper,
	(
	param0
	);
	ret;
}
	.file	1 "/unit-function-1.py"
	.file	2 "/unit-function-0.py"
	.file	3 "/lib/numba/cuda/helper.py"
"""


def test_ptx_is_counted_by_function_and_line() -> None:
    counts = {place: +kinds for place, kinds in count_ptx(PTX).items() if +kinds}
    assert counts == {
        # Inlined from a file of Numba's own: the line that uses it.
        (1, 4): {"fp64": 1},
        # Inlined from another function of the unit: that function's line.
        (0, 2): {"conversions": 1, "fp64": 1, "fp64_special": 2},
        # Moves, stores, selections and integer conversions compute nothing; 7 is no run-time divisor.
        (1, 6): {"integer_divisions": 1},
        # What a library function computes counts where it is called.
        (1, 7): {"fp64": 2},
    }
    assert static_shared_bytes(PTX) == 16 + 256


SASS = """
	.section	.text.__cuda_sm20_div_s64,"ax",@progbits
        /*0000*/                   IADD3 R3, P1, RZ, -R6.reuse, RZ ;
	.section	.text.kernel,"ax",@progbits
	//## File "/unit-function-0.py", line 3
        /*0000*/                   LDG.E.128.CONSTANT R3, desc[UR4][R2.64] ;
        /*0010*/              @!P0 STG.E.U8 desc[UR4][R2.64], R3 ;
        /*0020*/                   CALL.REL.NOINC `(__cuda_sm20_div_s64) ;
	//## File "/lib/numba/helper.py", line 9 inlined at "/unit-function-0.py", line 4
	//## File "/unit-function-0.py", line 4
.L_x_3:
        /*0030*/              @P0 ATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU PT, RZ, desc[UR4][R2.64], R5 ;
        /*0040*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*0050*/                   HMMA.16816.F32 R4, R8, R10, R4 ;
        /*0060*/                   CALL.ABS.NOINC `(_ZN3app6helperE) ;
        /*0070*/                   REDUX.SUM UR6, R0 ;
	//## File "/lib/numba/helper.py", line 9
        /*0080*/                   STL [R1], R2 ;
        /*0090*/                   NOP;
"""


def test_machine_instructions_are_counted_by_function_and_line() -> None:
    found = count_sass(SASS)
    assert found.counts == {
        None: {"instructions": 2, "local_stores": 1},
        (0, 3): {"instructions": 3, "global_loads": 1, "global_stores": 1},
        (0, 4): {
            "instructions": 5,
            "atomics": 1,
            "barriers": 1,
            "tensor_core": 1,
            "calls": 1,
            "warp_sums": 1,
        },
    }
    assert found.widest == {(0, 3): 16}


def test_the_log_of_nvjitlink_gives_the_kernels_resources() -> None:
    log = (
        "ptxas info    : Function properties for helper\n"
        "ptxas         .     8 bytes stack frame, 1 bytes spill stores, 2 bytes spill loads\n"
        "ptxas info    : Compiling entry function 'kernel' for 'sm_90'\n"
        "ptxas         .     104 bytes stack frame, 112 bytes spill stores, 136 bytes spill loads\n"
        "ptxas info    : Used 24 registers, used 0 barriers\n"
        "info    : used 24 registers, used 5 barriers, 104 stack, 1024 bytes smem,"
        " 644 bytes cmem[0], 16 bytes lmem\n"
    )
    found = read_log(log)
    assert (found.registers, found.stack_bytes) == (24, 104)
    assert (found.spill_store_bytes, found.spill_load_bytes, found.local_bytes) == (112, 136, 104)
    with pytest.raises(LinkFailure):
        read_log("nothing of use")
