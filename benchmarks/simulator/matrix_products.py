"""How long a product of f16 matrices by tensor cores takes on the simulated GPU: `matrix_products.py [SIZE]`.

Each warp makes 16 rows and 8 columns of the result by `mma.sync`, its operands read from global memory.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
from advisor.evidence.simulated.simt.machine import compile_kernel, run
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx

# C = A B of row-major matrices, B given by columns; %r1 is the row of the lane, %r2 its column of B.
PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry product(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
.reg .b32 %r<40>; .reg .f32 %f<9>; .reg .b64 %x<20>; .reg .pred %p<2>;
ld.param.u64 %x0, [a]; ld.param.u64 %x1, [b]; ld.param.u64 %x2, [c]; ld.param.u32 %r0, [n];
cvta.to.global.u64 %x0, %x0; cvta.to.global.u64 %x1, %x1; cvta.to.global.u64 %x2, %x2;
mov.u32 %r3, %tid.x; and.b32 %r4, %r3, 31; shr.u32 %r5, %r3, 5; shr.u32 %r6, %r4, 2; and.b32 %r7, %r4, 3;
mov.u32 %r8, %ctaid.y; mad.lo.s32 %r1, %r8, 16, %r6;
mov.u32 %r9, %ctaid.x; mad.lo.s32 %r9, %r9, 4, %r5; mad.lo.s32 %r2, %r9, 8, %r6;
shl.b32 %r10, %r7, 1;
mad.lo.s32 %r11, %r1, %r0, %r10; mul.wide.s32 %x3, %r11, 2; add.s64 %x3, %x0, %x3;
mad.lo.s32 %r12, %r2, %r0, %r10; mul.wide.s32 %x4, %r12, 2; add.s64 %x4, %x1, %x4;
mul.wide.s32 %x5, %r0, 16; add.s64 %x6, %x3, %x5;
mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0; mov.u32 %r20, 0;
again:
ld.global.b32 %r30, [%x3]; ld.global.b32 %r31, [%x6]; ld.global.b32 %r32, [%x3+16];
ld.global.b32 %r33, [%x6+16]; ld.global.b32 %r34, [%x4]; ld.global.b32 %r35, [%x4+16];
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3},
    {%r30, %r31, %r32, %r33}, {%r34, %r35}, {%f0, %f1, %f2, %f3};
add.s64 %x3, %x3, 32; add.s64 %x6, %x6, 32; add.s64 %x4, %x4, 32;
add.s32 %r20, %r20, 16; setp.lt.s32 %p0, %r20, %r0; @%p0 bra again;
mad.lo.s32 %r21, %r9, 8, %r10; mad.lo.s32 %r21, %r1, %r0, %r21;
mul.wide.s32 %x7, %r21, 4; add.s64 %x7, %x2, %x7; st.global.v2.f32 [%x7], {%f0, %f1};
mul.wide.s32 %x8, %r0, 32; add.s64 %x7, %x7, %x8; st.global.v2.f32 [%x7], {%f2, %f3};
ret;
}
"""


def main(size: int) -> None:
    """Print the seconds of processor time of a product, and how far it is from NumPy's."""
    if size % 32:
        raise SystemExit("the size must be a multiple of 32")
    random = np.random.default_rng(1)
    left, right = (random.normal(size=(size, size)).astype(np.float16) for _ in range(2))
    begin = time.process_time()
    kernel = compile_kernel(read_ptx(PTX), "product")
    print(f"{time.process_time() - begin:.2f} s to translate")
    memory = DeviceMemory()
    result = np.zeros((size, size), np.float32)
    addresses = [memory.upload(one) for one in (left, np.ascontiguousarray(right.T), result)]
    values = [*(one.to_bytes(8, "little") for one in addresses), size.to_bytes(4, "little")]
    grid = (size // 32, size // 16, 1)
    launch = Launch(grid, (128, 1, 1), pack_parameters(kernel.function, values))
    begin = time.process_time()
    execution = run(kernel, launch, memory)
    print(f"{time.process_time() - begin:.2f} s to run, {execution.status.name}")
    memory.download(addresses[2], result)
    exact = left.astype(np.float32) @ right.astype(np.float32)
    print(f"{abs(result - exact).max():.1e} from NumPy's product at most")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1024)
