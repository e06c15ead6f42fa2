"""Launches that a GPU refuses, faults of kernels, and what a kernel needs."""

from __future__ import annotations

from collections.abc import Callable

Program = Callable[..., str]

_ATTEMPT = """
def attempt(kernel, *configuration):
    before = len(machine.launches)
    try:
        kernel[configuration](array)
    except Exception as problem:
        return f"{type(problem).__name__} {str(problem).split(':')[0]}"
    return f"{len(machine.launches) - before} launch"

@cuda.jit
def plain(a):
    a[0] = 1

array = cuda.to_device(np.zeros(3))
"""
_BEFORE = f"machine = start()\nfrom numba import cuda\n{_ATTEMPT}"
_REFUSED = "CUDAError CUDA_ERROR_INVALID_VALUE"


def test_the_sizes_of_blocks_and_grids(program: Program) -> None:
    out = program(
        """
        for configuration in [
            (1, 1024), (1, 1025), (1, (32, 32)), (1, (32, 33)), (1, (1, 1, 64)), (1, (1, 1, 65)),
            ((1, 65535), 1), ((1, 65536), 1), (2**31 - 1, 1), (2**31, 1), (0, 1), (1, 0),
        ]:
            print(attempt(plain, *configuration))
        """,
        _BEFORE,
    )
    done, zero = "1 launch", "ValueError LaunchConfig"
    expected = [done, _REFUSED] * 5
    lines = out.splitlines()
    assert lines[:10] == expected
    assert all(line.startswith(zero) for line in lines[10:])


def test_dynamic_shared_memory(program: Program) -> None:
    out = program(
        """
        @cuda.jit
        def shares(a):
            tile = cuda.shared.array(256, np.float32)
            tile[cuda.threadIdx.x] = a[0]
            cuda.syncthreads()
            a[0] = tile[255 - cuda.threadIdx.x]

        print(attempt(plain, 1, 1, 0, 49152), "/", attempt(plain, 1, 1, 0, 49153))
        print(attempt(shares, 1, 1, 0, 48128), "/", attempt(shares, 1, 1, 0, 48129))
        print(list(shares.get_shared_mem_per_block().values()))
        """,
        _BEFORE,
    )
    refused = f"1 launch / {_REFUSED}"
    assert out.splitlines() == [refused, refused, "[1024]"]


def test_too_much_static_shared_memory_is_the_assemblers_error(program: Program) -> None:
    out = program(
        """
        @cuda.jit
        def large(a):
            tile = cuda.shared.array(20000, np.float32)
            tile[cuda.threadIdx.x] = a[0]
            cuda.syncthreads()
            a[0] = tile[20000 - cuda.threadIdx.x]

        try:
            large[1, 1](array)
        except Exception as problem:
            print("too much shared data" in str(problem))
        print(len(machine.launches))
        """,
        _BEFORE,
    )
    assert out.splitlines() == ["True", "0"]


def test_launch_bounds(program: Program) -> None:
    out = program(
        """
        @cuda.jit(launch_bounds=128)
        def bound(a):
            a[0] = 1

        print(attempt(bound, 1, 128), "/", attempt(bound, 1, 129))
        print(list(bound.get_max_threads_per_block().values()))
        """,
        _BEFORE,
    )
    assert out.splitlines() == [f"1 launch / {_REFUSED}", "[128]"]


def test_registers_of_a_large_block(program: Program) -> None:
    """Of 80 values that live at once each thread needs a register; 1024 threads have 64 each."""
    out = program(
        """
        lines = ["def hungry(a):", "    i = cuda.grid(1)"]
        lines += [f"    v{n} = a[i + {n}]" for n in range(80)]
        lines += ["    cuda.syncthreads()"]
        lines += [f"    a[i + {n}] = v{79 - n} * v{(n * 7) % 80}" for n in range(80)]
        names = {"cuda": cuda}
        exec("\\n".join(lines), names)
        hungry = cuda.jit(names["hungry"])
        bounded = cuda.jit(max_registers=64)(names["hungry"])
        print(attempt(hungry, 1, 256), "/", attempt(hungry, 1, 1024), "/", attempt(bounded, 1, 1024))
        print(list(hungry.get_regs_per_thread().values())[0] > 64)
        print(list(bounded.get_regs_per_thread().values())[0] <= 64)
        """,
        _BEFORE,
    )
    refused = "CUDAError CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"
    assert out.splitlines() == [f"1 launch / {refused} / 1 launch", "True", "True"]


def test_a_fault_is_raised_as_numba_raises_it(program: Program) -> None:
    out = program("""
        from advisor.evidence.simulated.driver import KernelFault

        @machine.kernel
        def outside(a):
            raise KernelFault("a[5] lies outside of its 3 elements", "CUDA_ERROR_ILLEGAL_ADDRESS")

        @cuda.jit
        def outside(a):
            a[5] = 1

        a = cuda.to_device(np.zeros(3))
        try:
            outside[1, 1](a)
        except cuda.cudadrv.driver.CudaAPIError as problem:
            print(problem.code.name, "a[5] lies outside" in problem.msg)
        print(a.copy_to_host())
    """)
    assert out.splitlines() == ["CUDA_ERROR_ILLEGAL_ADDRESS True", "[0. 0. 0.]"]


def test_what_the_executor_raises_arrives(program: Program) -> None:
    out = program("""
        @machine.kernel
        def broken(a):
            raise problems.pop(0)

        @cuda.jit
        def broken(a):
            a[5] = 1

        problems = [KeyError("a"), KeyboardInterrupt(), SystemExit(3)]
        for kind in (KeyError, KeyboardInterrupt, SystemExit):
            try:
                broken[1, 1](np.zeros(3))
            except kind as problem:
                print(type(problem).__name__)
    """)
    assert out.splitlines() == ["KeyError", "KeyboardInterrupt", "SystemExit"]


def test_machine_code_is_shown_as_ever(program: Program) -> None:
    """Loading PTX must not put it where Numba keeps machine code."""
    out = program(
        """
        print(attempt(plain, 1, 1))
        library = next(iter(plain.overloads.values())).library
        print(bytes(library.get_cubin().code)[:4])
        """,
        _BEFORE,
    )
    assert out.splitlines() == ["1 launch", "b'\\x7fELF'"]


def test_numbas_cache_is_neither_read_nor_written(program: Program) -> None:
    out = program("""
        from pathlib import Path

        @cuda.jit(cache=True)
        def cached(a):
            a[0] = 1

        cached[1, 1](np.zeros(3))
        print(len(machine.launches), list(Path(__file__).parent.rglob("*.nb?")))
    """)
    assert out == "1 []\n"
