"""Numba's host API on the simulated GPU: memory, streams, events, contexts. No kernel runs here."""

from __future__ import annotations

from collections.abc import Callable

Program = Callable[..., str]


def test_the_device_is_the_one_of_its_file(program: Program) -> None:
    out = program("""
        device = cuda.get_current_device()
        print(cuda.is_available(), len(cuda.gpus), device.name, tuple(device.compute_capability))
        print(device.MULTIPROCESSOR_COUNT, device.WARP_SIZE, device.MAX_THREADS_PER_BLOCK)
        print(device.MAX_BLOCK_DIM_Z, device.MAX_GRID_DIM_X, device.MAX_GRID_DIM_Y)
        print(device.MAX_SHARED_MEMORY_PER_BLOCK, device.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
        print(device.COMPUTE_CAPABILITY_MAJOR, device.TCC_DRIVER)
        print(cuda.current_context().get_memory_info().total)
    """)
    assert out.splitlines() == [
        "True 1 NVIDIA A100 40GB (8, 0)",
        "108 32 1024",
        "64 2147483647 65535",
        "49152 166912",
        "8 0",
        "40000000000",
    ]


def test_another_device(program: Program) -> None:
    before = "machine = start('rtx-4090')\nfrom numba import cuda\n"
    out = program("device = cuda.get_current_device(); print(tuple(device.compute_capability))", before)
    assert out == "(8, 9)\n"


def test_detect_tells_of_the_device(program: Program) -> None:
    out = program("cuda.detect()")
    assert "Found 1 CUDA devices" in out
    assert "NVIDIA A100 40GB" in out
    assert "1/1 devices are supported" in out


def test_installed_after_the_import_of_numba_cuda(program: Program) -> None:
    before = "from numba import cuda\nassert not cuda.is_available()\nmachine = start()\n"
    out = program("print(cuda.is_available(), cuda.to_device(np.arange(3)).copy_to_host())", before)
    assert out == "True [0 1 2]\n"


def test_a_second_installation_is_refused(program: Program) -> None:
    out = program("""
        from advisor.model.errors import AdvisorError
        try:
            start()
        except AdvisorError as problem:
            print(problem)
    """)
    assert out == "The simulated GPU is installed already.\n"


def test_copies(program: Program) -> None:
    out = program("""
        source = np.arange(24, dtype=np.float32).reshape(4, 6)
        device = cuda.to_device(source)
        other = cuda.device_array_like(device)
        other.copy_to_device(device)
        back = np.zeros_like(source)
        other.copy_to_host(back)
        print((back == source).all(), device[1:3, 2:4].copy_to_host().tolist(), device[3, 5])
        print(device.reshape(6, 4).copy_to_host().shape, device.ravel().shape, device.nbytes)
        columns = cuda.to_device(np.asfortranarray(source))
        print((columns.copy_to_host() == source).all(), columns.strides, device[::2].strides)
        empty = cuda.to_device(np.zeros(0))
        print(empty.copy_to_host().shape)
    """)
    assert out.splitlines() == [
        "True [[8.0, 9.0], [14.0, 15.0]] 23.0",
        "(6, 4) (24,) 96",
        "True (4, 16) (48, 4)",
        "(0,)",
    ]


def test_pinned_mapped_and_managed_memory(program: Program) -> None:
    out = program("""
        stream = cuda.stream()
        for make in (cuda.pinned_array, cuda.mapped_array, cuda.managed_array):
            array = make((2, 3), np.int16)
            array[:] = [[1, 2, 3], [4, 5, 6]]
            device = cuda.device_array((2, 3), np.int16, stream=stream)
            device.copy_to_device(np.asarray(array), stream=stream)
            print(device.copy_to_host(stream=stream).sum(), array.dtype)
        own = np.arange(4)
        with cuda.pinned(own):
            print(cuda.to_device(own).copy_to_host())
        with cuda.mapped(own) as mapped:
            own[0] = 7
            print(mapped.copy_to_host())
            mapped.copy_to_device(np.full(4, 9))
        print(own)
    """)
    assert out.splitlines() == ["21 int16"] * 3 + ["[0 1 2 3]", "[7 1 2 3]", "[9 9 9 9]"]


def test_registering_memory_twice_is_the_drivers_error(program: Program) -> None:
    out = program("""
        own = np.arange(4)
        try:
            with cuda.pinned(own), cuda.pinned(own):
                pass
        except cuda.cudadrv.driver.CudaAPIError as problem:
            print(problem.msg)
    """)
    assert "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" in out


def test_streams_and_events(program: Program) -> None:
    out = program("""
        stream, begin, end = cuda.stream(), cuda.event(), cuda.event()
        begin.record(stream)
        with stream.auto_synchronize():
            device = cuda.to_device(np.arange(3), stream=stream)
        end.record(stream)
        end.synchronize()
        begin.wait(stream)
        print(end.query(), begin.elapsed_time(end) >= 0, cuda.event_elapsed_time(begin, begin) == 0)
        cuda.synchronize()
        print(cuda.default_stream(), cuda.per_thread_default_stream())
        try:
            cuda.event().elapsed_time(end)
        except cuda.cudadrv.driver.CudaAPIError as problem:
            print(problem.msg)
    """)
    assert out.splitlines() == [
        "True True True",
        "<Default CUDA stream> <Per-thread default CUDA stream>",
        "Call to cuEventElapsedTime results in CUDA_ERROR_INVALID_HANDLE",
    ]


def test_contexts_threads_and_close(program: Program) -> None:
    out = program("""
        import threading
        cuda.select_device(0)
        with cuda.gpus[0]:
            print(cuda.gpus.current.id, cuda.current_context().device.id)
        results = []
        def work():
            cuda.select_device(0)
            results.append(cuda.to_device(np.arange(3)).copy_to_host().sum())
            cuda.close()
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        cuda.close()
        print(results, cuda.to_device(np.ones(2)).copy_to_host())
        try:
            cuda.select_device(1)
        except IndexError as problem:
            print(problem)
    """)
    assert out.splitlines() == ["0 0", "[np.int64(3)] [1. 1.]", "list index out of range"]


def test_memory_is_counted_and_runs_out(program: Program) -> None:
    out = program("""
        context = cuda.current_context()
        free, total = context.get_memory_info()
        device = cuda.device_array(1000, np.float64)
        print(total - context.get_memory_info().free)
        del device
        context.deallocations.clear()
        context.memory_manager.deallocations.clear()
        print(context.get_memory_info().free == free)
        try:
            cuda.device_array(10**10)
        except cuda.cudadrv.driver.CudaAPIError as problem:
            print(problem.msg)
    """)
    assert out.splitlines() == ["8000", "True", "Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY"]


def test_other_libraries_arrays(program: Program) -> None:
    out = program("""
        class Foreign:
            def __init__(self, array):
                self.array = array
                self.__cuda_array_interface__ = array.__cuda_array_interface__
        array = cuda.to_device(np.arange(4))
        print(cuda.is_cuda_array(Foreign(array)), cuda.as_cuda_array(Foreign(array)).copy_to_host())
    """)
    assert out == "True [0 1 2 3]\n"


def test_what_the_simulated_gpu_lacks_is_named_once(program: Program) -> None:
    out = program("""
        import contextlib, io
        from cuda.bindings import driver
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            print(driver.cuGraphCreate(0)[0].name, driver.cuGraphCreate(0)[0].name)
        print(said.getvalue(), end="")
    """)
    assert out.splitlines() == [
        "CUDA_ERROR_NOT_SUPPORTED CUDA_ERROR_NOT_SUPPORTED",
        "advisor: the simulated GPU does not offer cuGraphCreate.",
    ]


def test_random_states(program: Program) -> None:
    out = program("""
        from numba.cuda.random import create_xoroshiro128p_states
        states = create_xoroshiro128p_states(4, seed=1).copy_to_host()
        print(states.shape, len(set(states["s0"].tolist())))
    """)
    assert out == "(4,) 4\n"


def test_threads_share_the_device(program: Program) -> None:
    out = program("""
        from concurrent.futures import ThreadPoolExecutor

        @machine.kernel
        def add(a, b):
            a += b

        @cuda.jit
        def add(a, b):
            a[cuda.grid(1)] += b

        def work(number):
            device = cuda.to_device(np.zeros(100))
            for _ in range(20):
                add[1, 100](device, number)
            return device.copy_to_host()[0]

        with ThreadPoolExecutor(4) as pool:
            print(list(pool.map(work, range(6))))
    """)
    assert out == f"[{', '.join(f'np.float64({20 * number}.0)' for number in range(6))}]\n"


def test_a_forked_process_cannot_go_on_with_cuda(program: Program) -> None:
    out = program("""
        import os
        cuda.to_device(np.zeros(3))
        child = os.fork()
        if child == 0:
            try:
                cuda.to_device(np.zeros(3))
            except Exception as problem:
                print(problem, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        print(cuda.to_device(np.ones(3)).copy_to_host())
    """)
    assert out.splitlines() == ["CUDA initialized before forking", "[1. 1. 1.]"]


def test_a_process_forked_before_the_first_use_has_a_device_of_its_own(program: Program) -> None:
    out = program("""
        import os
        child = os.fork()
        if child == 0:
            print(cuda.to_device(np.arange(3)).copy_to_host(), flush=True)
            os._exit(0)
        os.waitpid(child, 0)
    """)
    assert out == "[0 1 2]\n"


def test_modules_come_from_files_too_and_machine_code_is_told_apart(program: Program) -> None:
    out = program("""
        import io, sys, pathlib
        from cuda.bindings import driver
        cuda.current_context()
        ptx = ".version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .entry k()\\n{\\nret;\\n}\\n"
        files = {"k.ptx": ptx.encode(), "k.cubin": b"\\x7fELF" + bytes(60), "bad.ptx": b"no PTX"}
        for name, content in files.items():
            pathlib.Path(name).write_bytes(content)
        sys.stderr = io.StringIO()
        for name in (*files, "k.cubin", "none.ptx"):
            print(name, driver.cuModuleLoad(name.encode())[0].name)
        module = driver.cuModuleLoad(b"k.ptx")[1]
        print(driver.cuModuleGetFunction(module, b"k")[0].name)
        print(sys.stderr.getvalue().count("machine code"), sys.stderr.getvalue())
        sys.stderr = sys.__stderr__
    """)
    assert out.splitlines()[:7] == [
        "k.ptx CUDA_SUCCESS",
        "k.cubin CUDA_ERROR_INVALID_IMAGE",
        "bad.ptx CUDA_ERROR_INVALID_PTX",
        "k.cubin CUDA_ERROR_INVALID_IMAGE",
        "none.ptx CUDA_ERROR_FILE_NOT_FOUND",
        "CUDA_SUCCESS",
        "1 advisor: machine code (a cubin or a fat binary) cannot be run without a GPU; "
        "PTX and source text can.",
    ]
