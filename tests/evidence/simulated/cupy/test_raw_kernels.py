"""Kernels in CUDA C++: their launches are recorded and counted with the lines of their source."""

from __future__ import annotations

import json

PROGRAM = """\
import cupy as cp
import numpy as np

CODE = r'''
extern "C" __global__ void gather(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i * 8 % n];
}
template <typename T> __global__ void scale(T* rows, T by) { rows[threadIdx.x] *= by; }
'''
x = cp.arange(1024, dtype=np.float32)
y = cp.zeros_like(x)
gather = cp.RawKernel(CODE, "gather")
gather((8,), (128,), (x, y, np.int32(1024)))
print((y.get() == np.arange(1024) * 8 % 1024).all())
scale = cp.RawModule(code=CODE, name_expressions=("scale<float>",)).get_function("scale<float>")
scale((1,), (32,), (y, np.float32(3)))
print(y[:3].get().tolist())
"""


def test_launches_are_recorded_with_names_lines_and_arguments(run_program, recorded):
    done = run_program(PROGRAM)
    assert (done.status, done.out) == (0, b"True\n[0.0, 24.0, 48.0]\n"), done.err
    rows = recorded("SELECT kernel, path, line, launch_line, arguments FROM launches ORDER BY number")
    assert [row[:4] for row in rows] == [("gather", "main.py", 5, 15), ("scale<float>", "main.py", 10, 18)]
    arguments = json.loads(rows[0][4])
    assert [(one["name"], one["type"], one["shape"]) for one in arguments] == [
        ("x", "array(float32, 1d, C)", [1024]),
        ("y", "array(float32, 1d, C)", [1024]),
        ("n", "int32", None),
    ]
    assert "in CUDA C++" not in done.err
    assert "1 launch of kernels that CuPy makes, counted by the statements" in done.err


def test_accesses_are_counted_by_line(run_program, recorded):
    run_program(PROGRAM)
    ((text,),) = recorded("SELECT statistics FROM counts JOIN launches ON counts.id = counts WHERE line = 5")
    accesses = {(one["array"], one["kind"]): one for one in json.loads(text)["accesses"]}
    load, store = accesses["x", "load"], accesses["y", "store"]
    assert (load["path"], load["line"], store["line"]) == ("main.py", 8, 8)
    # 32 warps; each load touches 32 sectors, each store 4.
    assert (load["requests"], load["sectors"]) == (32, 32 * 32)
    assert (store["requests"], store["sectors"]) == (32, 32 * 4)


def test_an_access_behind_an_array_is_raised_and_told_at_its_line(run_program):
    done = run_program(
        """\
        import cupy as cp
        k = cp.RawKernel(r'''extern "C" __global__ void far(float* a) {
            a[threadIdx.x + 1000000] = 1;
        }''', "far")
        k((1,), (32,), (cp.zeros(8, "f"),))
        """
    )
    assert done.status == 1
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in done.err and "store of a out of bounds" in done.err
    assert "advisor: main.py:3: out of bounds in far" in done.err


def test_check_advises_at_their_lines(run_program, cupy_command, tmp_path):
    run_program(PROGRAM)
    done = cupy_command.check("main.py", cwd=tmp_path)
    assert done.errors == []
    found = {(one["rule"], one["line"]) for one in done.findings}
    assert ("uncoalesced-access", 8) in found
    assert all(line in (5, 8, 10, 15, 18) for _, line in found)
    assert b"older than its code" not in done.out


def test_counts_of_a_changed_kernel_are_not_used(run_program, cupy_command, tmp_path):
    run_program(PROGRAM)
    file = tmp_path / "main.py"
    # A line above moves the kernel; another text of it is another kernel.
    file.write_text(
        "# moved\n" + file.read_text().replace("rows[threadIdx.x] *= by", "rows[threadIdx.x] += by")
    )
    done = cupy_command.check("main.py", cwd=tmp_path)
    assert ("uncoalesced-access", 9) in {(one["rule"], one["line"]) for one in done.findings}
    assert b"the recorded launches of scale<float> are older than its code" in done.out + done.err.encode()


def test_errors_of_the_compiler_name_the_programs_line(run_program):
    done = run_program(
        """\
        import cupy as cp
        k = cp.RawKernel(r'''extern "C" __global__ void wrong(float* a) {
            a[0] = nowhere;
        }''', "wrong")
        k((1,), (32,), (cp.zeros(8, "f"),))
        """
    )
    assert done.status == 1
    assert "main.py(3): error" in done.err


FROM_FILE = """\
import cupy as cp
import numpy as np

with open("gather.cu") as file:
    code = "#define STEP 8\\n" + file.read()
x = cp.arange(1024, dtype=np.float32)
y = cp.zeros_like(x)
cp.RawKernel(code, "gather")((8,), (128,), (x, y, np.int32(1024)))
print((y.get() == np.arange(1024) * 8 % 1024).all())
"""
CUDA_FILE = """\
// Neighbouring threads read elements that lie 32 bytes apart.
extern "C" __global__ void gather(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i * STEP % n];
}
"""


def test_check_advises_at_the_lines_of_a_cuda_file(run_program, cupy_command, tmp_path):
    cuda_file = tmp_path / "gather.cu"
    cuda_file.write_text(CUDA_FILE)
    done = run_program(FROM_FILE)
    assert (done.status, done.out) == (0, b"True\n"), done.err
    assert "not advised on" not in done.err
    checked = cupy_command.check("main.py", cwd=tmp_path)
    assert checked.errors == []
    assert [(one["rule"], one["path"], one["line"]) for one in checked.findings] == [
        ("uncoalesced-access", "gather.cu", 5)
    ]
    # Its lines move with the file; another text is not judged by the launch.
    cuda_file.write_text("\n" + CUDA_FILE)
    assert [one["line"] for one in cupy_command.check("main.py", cwd=tmp_path).findings] == [6]
    cuda_file.write_text(CUDA_FILE.replace("i < n", "i < n - 1"))
    changed = cupy_command.check("main.py", cwd=tmp_path)
    assert changed.findings == []
    assert b"gather.cu:2: the recorded launches of gather are older than its code" in changed.out
