"""The runtime that CuPy calls: streams, events, memory, the device, and Numba beside it."""

from __future__ import annotations


def test_streams_events_and_host_functions(run_program):
    done = run_program(
        """\
        import cupy as cp
        stream, other = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream()
        begin, end = cp.cuda.Event(), cp.cuda.Event()
        with stream:
            begin.record()
            a = cp.arange(1000) * 2
            end.record()
        other.wait_event(end)
        other.launch_host_func(print, "host")
        end.synchronize()
        print(int(a.sum()), stream.done, end.done, cp.cuda.get_elapsed_time(begin, end) > 0)
        """
    )
    assert (done.status, done.out) == (0, b"host\n999000 True True True\n"), done.err


def test_memory_of_all_kinds(run_program):
    done = run_program(
        """\
        import numpy as np, cupy as cp
        pool = cp.get_default_memory_pool()
        a = cp.ones(1000)
        print(pool.used_bytes() >= 8000)
        pinned = np.frombuffer(cp.cuda.alloc_pinned_memory(80), np.float64, 10)
        pinned[:] = 3
        b = cp.empty(10)
        b.set(pinned)
        for allocator in (cp.cuda.MemoryPool(cp.cuda.malloc_managed), cp.cuda.MemoryAsyncPool()):
            cp.cuda.set_allocator(allocator.malloc)
            print(float(cp.ones(50).sum() + b.sum()))
        cp.cuda.set_allocator(None)
        kinds = cp.cuda.runtime
        print(kinds.pointerGetAttributes(a.data.ptr).type == kinds.memoryTypeDevice)
        print(np.array_equal(cp.asarray(np.arange(6).reshape(2, 3).T).get(), [[0, 3], [1, 4], [2, 5]]))
        """
    )
    assert (done.status, done.out) == (0, b"True\n80.0\n80.0\nTrue\nTrue\n"), done.err


def test_the_device_is_the_simulated_one(run_program):
    done = run_program(
        """\
        import cupy as cp
        device = cp.cuda.Device()
        print(device.compute_capability, cp.cuda.runtime.getDeviceCount(), device.attributes["WarpSize"])
        print(cp.cuda.runtime.getDeviceProperties(0)["name"].decode())
        """,
    )
    assert (done.status, done.out) == (0, b"80 1 32\nNVIDIA A100 80GB\n"), done.err


def test_errors_are_cupys_own(run_program):
    done = run_program(
        """\
        import cupy as cp
        for attempt in (
            lambda: cp.cuda.Device(1).use(),
            lambda: cp.cuda.runtime.malloc(1 << 60),
            lambda: cp.cuda.Stream().begin_capture(),
            lambda: cp.cuda.runtime.ipcGetMemHandle(0),
        ):
            try:
                attempt()
            except cp.cuda.runtime.CUDARuntimeError as error:
                print(error)
        """
    )
    said = done.out.decode().splitlines()
    assert done.status == 0, done.err
    assert [line.split(":")[0] for line in said] == [
        "cudaErrorInvalidDevice",
        "cudaErrorMemoryAllocation",
        "cudaErrorNotSupported",
        "cudaErrorNotSupported",
    ]
    assert said[2].endswith("the simulated GPU does not offer cudaStreamBeginCapture.")


def test_arrays_go_to_numbas_kernels_and_come_from_them(run_program, tmp_path):
    done = run_program(
        """\
        import cupy as cp, numpy as np
        from numba import cuda

        @cuda.jit
        def add(a):
            i = cuda.grid(1)
            if i < a.size:
                a[i] += 1

        a = cp.arange(5.0)
        add[1, 32](a)
        b = cuda.to_device(np.arange(5.0))
        seen = cp.asarray(b)
        seen *= 3
        print(a.get().tolist(), b.copy_to_host().tolist())
        """
    )
    assert (done.status, done.out) == (0, b"[1.0, 2.0, 3.0, 4.0, 5.0] [0.0, 3.0, 6.0, 9.0, 12.0]\n"), done.err
    assert "advisor: 1 launch recorded.\n" in done.err


def test_programs_that_the_program_starts_find_it_too(run_program):
    done = run_program(
        """\
        import subprocess, sys
        text = "import cupy; print(int(cupy.arange(4).sum()))"
        print(subprocess.run([sys.executable, "-c", text], capture_output=True, text=True).stdout)
        """
    )
    assert (done.status, done.out.strip()) == (0, b"6"), done.err


def test_random_generators_draw_the_same_numbers_again(run_program):
    done = run_program(
        """\
        import cupy as cp
        drawn = [cp.random.default_rng(seed).random(1000).get() for seed in (1, 1, 2)]
        print((drawn[0] == drawn[1]).all(), (drawn[0] == drawn[2]).any(), 0.45 < drawn[0].mean() < 0.55)
        print(cp.random.default_rng(3).integers(0, 10, 50).max() < 10)
        """
    )
    assert (done.status, done.out) == (0, b"True False True\nTrue\n"), done.err
