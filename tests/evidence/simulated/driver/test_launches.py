"""Launches on the simulated GPU: the values that arrive at the kernel, and what is noted of the launch."""

from __future__ import annotations

from collections.abc import Callable

Program = Callable[..., str]


def test_host_arrays_are_copied_there_and_back(program: Program) -> None:
    out = program("""
        @machine.kernel
        def axpy(x, y, a):
            y += a * x

        @cuda.jit
        def axpy(x, y, a):
            i = cuda.grid(1)
            if i < x.size:
                y[i] += a * x[i]

        x, y = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
        axpy[2, 32](x, y, 2.0)
        print(y)
        axpy[2, 32](x[1:], cuda.to_device(y)[:3], np.float32(2))
        print(y)
    """)
    assert out.splitlines() == ["[1. 3. 5. 7.]", "[1. 3. 5. 7.]"]


def test_views_of_device_arrays(program: Program) -> None:
    out = program("""
        @machine.kernel
        def put(a, b):
            a[:] = b

        @cuda.jit
        def put(a, b):
            a[cuda.grid(1), 0] = b[0, 0]

        a = cuda.to_device(np.zeros((4, 6), np.int32))
        b = cuda.to_device(np.arange(24, dtype=np.int32).reshape(6, 4))
        put[1, 4](a[1:3, ::2], b[0:4:2, :3])
        print(a.copy_to_host().tolist())
        launch, note = machine.launches[-1]
        for one in note.arguments:
            print(one.name, one.type, one.dtype, one.shape, one.strides, one.size)
        print(note.arguments[0].address - a.device_ctypes_pointer.value)
    """)
    assert out.splitlines() == [
        "[[0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 2, 0], [8, 0, 9, 0, 10, 0], [0, 0, 0, 0, 0, 0]]",
        "a array(int32, 2d, A) int32 (2, 3) (24, 8) 44",
        "b array(int32, 2d, A) int32 (2, 3) (32, 4) 44",
        "24",
    ]


def test_scalars_of_every_kind(program: Program) -> None:
    out = program("""
        @machine.kernel
        def show(a, b, c, d, e, f, g, h):
            print(a, b, c, d, e, f, g, h)

        @cuda.jit
        def show(a, b, c, d, e, f, g, h):
            pass

        show[1, 1](-5, 2.5, True, 1 - 2j, np.int8(-3), np.uint16(65535), np.float32(0.5), np.complex64(2j))
        print([one.type for one in machine.launches[-1][1].arguments])
        print(all(one.address is None for one in machine.launches[-1][1].arguments))
    """)
    assert out.splitlines() == [
        "-5 2.5 True (1-2j) -3 65535 0.5 2j",
        "['int64', 'float64', 'bool', 'complex128', 'int8', 'uint16', 'float32', 'complex64']",
        "True",
    ]


def test_tuples_and_records(program: Program) -> None:
    out = program("""
        @machine.kernel
        def pairs(first, second, third, record):
            first += second
            record["weight"] = 3

        @cuda.jit
        def pairs(pair, third, record):
            pair[0][0] = pair[1]
            record.weight = third[0].count

        kind = np.dtype([("count", "i4"), ("weight", "f8")], align=True)
        array, records = np.zeros(3), np.zeros(2, kind)
        record = records[0]
        pairs[1, 1]((array, 5), records, record)
        print(array, record.item())
        for one in machine.launches[-1][1].arguments:
            print(one.name, one.shape, one.strides, one.size)
    """)
    assert out.splitlines() == [
        "[5. 5. 5.] (0, 3.0)",
        "pair[0] (3,) (8,) 24",
        "pair[1] None None None",
        "third (2,) (16,) 32",
        "record () () 16",
    ]


def test_where_kernel_and_launch_stand(program: Program) -> None:
    out = program("""
        import inspect

        class Solver:
            @staticmethod
            @cuda.jit
            def step(a):
                a[0] = 1

        def work(stream):
            Solver.step[(2, 3), (4, 5), stream, 64](array)

        array = cuda.to_device(np.zeros(3))
        work(0)
        work(cuda.stream())
        work(cuda.stream())
        source = open(__file__).read().splitlines()
        for launch, note in machine.launches:
            print(note.function, source[note.line - 1].strip(), source[note.launch_line - 1].strip())
            print(note.file == note.launch_file == __file__)
            print(note.grid, note.block, note.dynamic_shared, note.stream, note.order)
            print(launch.grid, launch.block, launch.dynamic_shared)
    """)
    places = "Solver.step @staticmethod Solver.step[(2, 3), (4, 5), stream, 64](array)"
    expected = []
    for number in range(3):
        extents = "(2, 3, 1) (4, 5, 1) 64"
        expected += [places, "True", f"{extents} {number} {number + 1}", extents]
    assert out.splitlines() == expected


def test_kernels_made_by_numba(program: Program) -> None:
    out = program("""
        from numba import guvectorize, vectorize

        @machine.kernel
        def __vectorized_add(a, b, out):
            out[:] = a + b

        @vectorize(["float32(float32, float32)"], target="cuda")
        def add(a, b):
            return a + b

        @guvectorize(["void(float32[:], float32[:])"], "(n)->(n)", target="cuda")
        def twice(a, b):
            for i in range(a.shape[0]):
                b[i] = 2 * a[i]

        print(add(np.arange(3, dtype=np.float32), np.ones(3, np.float32)))
        print(twice(np.ones((3, 4), np.float32)).shape)
        total = cuda.reduce(lambda a, b: a + b)
        total(np.arange(100.0))
        source = open(__file__).read().splitlines()
        print({source[note.launch_line - 1].strip() for _, note in machine.launches})
    """)
    lines = out.splitlines()
    assert lines[:2] == ["[1. 2. 3.]", "(3, 4)"]
    assert set(eval(lines[2])) == {
        "print(add(np.arange(3, dtype=np.float32), np.ones(3, np.float32)))",
        "print(twice(np.ones((3, 4), np.float32)).shape)",
        "total(np.arange(100.0))",
    }


def test_mapped_memory_is_seen_by_kernels_and_host(program: Program) -> None:
    out = program("""
        @machine.kernel
        def twice(a):
            a *= 2

        @cuda.jit
        def twice(a):
            a[cuda.grid(1)] *= 2

        own = np.arange(4.0)
        with cuda.mapped(own) as mapped:
            twice[1, 4](mapped)
            own += 1
            twice[1, 4](mapped)
        for array in (cuda.mapped_array(4), cuda.managed_array(4), cuda.pinned_array(4)):
            array[:] = [0, 1, 2, 3]
            twice[1, 4](array)
            cuda.synchronize()
            print(np.asarray(array))
        print(own)
    """)
    assert out.splitlines() == ["[0. 2. 4. 6.]"] * 3 + ["[ 2.  6. 10. 14.]"]


def test_eager_signatures_specialisations_and_forall(program: Program) -> None:
    out = program("""
        @machine.kernel
        def seven(a):
            a[:] = 7

        def seven_(a):
            a[cuda.grid(1)] = 7

        seven_.__qualname__ = "seven"
        seven = cuda.jit("void(int32[:])")(seven_)
        lazy = cuda.jit(seven_)
        a = cuda.to_device(np.zeros(5, np.int32))
        seven.forall(5000)(a)
        print(a.copy_to_host(), machine.launches[-1][1].grid, machine.launches[-1][1].block)
        lazy.specialize(a)[1, 5](a)
        print(len(machine.launches), lazy.specialize(a).specialized)
    """)
    assert out.splitlines() == ["[7 7 7 7 7] (5, 1, 1) (1024, 1, 1)", "2 True"]


def test_lines_of_kernel_and_device_function_are_in_the_ptx(program: Program) -> None:
    out = program("""
        from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx

        @cuda.jit(device=True)
        def square(x):
            return x * x * x * 2

        @cuda.jit
        def kernel(a):
            a[0] = square(a[1])

        kernel[1, 1](np.zeros(4))
        source = open(__file__).read().splitlines()
        program = read_ptx(machine.texts[-1])
        places = [one.location for f in program.functions.values() for one in f.instructions if one.location]
        print(sorted({source[at.line - 1].strip() for at in places if at.file == __file__}))
    """)
    assert "return x * x * x * 2" in out
    assert "a[0] = square(a[1])" in out


def test_what_is_linked_becomes_one_text(program: Program) -> None:
    out = program("""
        from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx

        source = cuda.CUSource('extern "C" __device__ int twice(int *out, int a) { *out = 2 * a; return 0; }')
        twice = cuda.declare_device("twice", "int32(int32)", link=source)

        @cuda.jit
        def linked(a):
            a[0] = twice(a[1])

        @cuda.jit
        def reshaped(a, b):
            b[0] = a.reshape(2, 2)[1, 1]

        @cuda.jit
        def optimised(a):
            a[0] = 1

        linked[1, 1](np.zeros(4, np.int32))
        print(read_ptx(machine.texts[-1]).functions["twice"].external)
        reshaped[1, 1](np.zeros(4), np.zeros(1))
        functions = read_ptx(machine.texts[-1]).functions
        print([f.external for name, f in functions.items() if "reshape" in name and not f.entry])
    """)
    assert out.splitlines()[0] == "False"
    assert "True" not in out


def test_cooperative_launches(program: Program) -> None:
    out = program("""
        @cuda.jit
        def together(a):
            cuda.cg.this_grid().sync()
            a[0] = 1

        a = cuda.to_device(np.zeros(3))
        together[2, 32](a)
        print(machine.launches[-1][0].cooperative)
        kernel = next(iter(together.overloads.values()))
        most = kernel.max_cooperative_grid_blocks(1024)
        print(most)
        together[most, 1024](a)
        try:
            together[most + 1, 1024](a)
        except Exception as problem:
            print("exceeds" in str(problem) or "TOO_LARGE" in str(problem))
    """)
    # An SM of the A100 holds 2048 threads, so 2 blocks of 1024, and there are 108 SMs.
    assert out.splitlines() == ["True", "216", "True"]


def test_debugging_kernels_have_their_error_codes(program: Program) -> None:
    out = program("""
        @machine.kernel
        def checked(a):
            for (_, name), address in machine.variables.items():
                if name.endswith("__errcode__"):
                    machine.memory.view(address, 4)[:] = np.array([code], np.int32).view(np.uint8)

        @cuda.jit(debug=True, opt=False)
        def checked(a):
            if a[0] < 0:
                raise ValueError("negative")
            a[0] = 1

        code = 0
        checked[1, 1](np.zeros(8))
        helper = next(iter(checked.overloads.values())).call_helper
        code = next(number for number in range(1, 20) if "negative" in str(helper.exceptions.get(number)))
        try:
            checked[1, 1](np.zeros(8))
        except ValueError as problem:
            print("negative" in str(problem))
    """)
    assert out == "True\n"


def test_a_kernel_that_numba_cannot_give_lines_runs_without_them(program: Program) -> None:
    out = program("""
        @machine.kernel
        def nothing(x):
            x[:] = 3

        @cuda.jit
        def nothing(a, x):
            x[0] = 3

        x = np.zeros(2)
        nothing[1, 1]((), x)
        print(x, [one.name for one in machine.launches[-1][1].arguments])
    """)
    assert out == "[3. 3.] ['x']\n"
