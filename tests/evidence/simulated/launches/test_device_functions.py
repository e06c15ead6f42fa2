"""Device functions as Numba compiles them, and what belongs to a kernel's environment."""

from __future__ import annotations


def test_a_device_function_that_is_not_inlined(advise, project, script):
    script("""
        @cuda.jit(device=True, forceinline=False)
        def power(base, exponent):
            result = np.float32(1)
            for _ in range(exponent):
                result *= base
            return result

        @cuda.jit
        def powers(x, out):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = power(x[i], i % 5) + power(x[i], i % 3)

        x = np.linspace(0.5, 1.5, 64).astype(np.float32)
        out = np.zeros(64, np.float32)
        powers[2, 32](x, out)
        lanes = np.arange(64)
        np.testing.assert_allclose(out, x ** (lanes % 5) + x ** (lanes % 3), rtol=1e-6)
    """)
    done = advise("run", "main.py", cwd=project)
    assert done.status == 0, done.err


def test_a_call_in_a_branch_runs_for_its_lanes_only(advise, project, script):
    script("""
        @cuda.jit(device=True)
        def collatz(n):
            steps = 0
            while n != 1:
                n = n // 2 if n % 2 == 0 else 3 * n + 1
                steps += 1
            return steps

        @cuda.jit
        def branches(out):
            i = cuda.grid(1)
            if i % 2 == 1:
                out[i] = collatz(i)
            elif i > 0:
                out[i] = -collatz(i)

        out = np.zeros(96, np.int64)
        branches[1, 96](out)

        def steps(n):
            return 0 if n == 1 else 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)

        assert out.tolist() == [0] + [steps(i) if i % 2 else -steps(i) for i in range(1, 96)]
    """)
    done = advise("run", "main.py", cwd=project)
    assert done.status == 0, done.err


def test_closures_globals_constants_and_print(advise, project, script):
    script("""
        TABLE = np.array([3, 1, 4, 1, 5], np.int32)
        FACTOR = 10

        def make(offset):
            @cuda.jit
            def look_up(out):
                table = cuda.const.array_like(TABLE)
                i = cuda.grid(1)
                if i < out.size:
                    out[i] = table[i] * FACTOR + offset
                if i == 2:
                    print("lane", i, out[i])
            return look_up

        out = np.zeros(5, np.int32)
        make(7)[1, 32](out)
        cuda.synchronize()
        print(out.tolist())
    """)
    done = advise("run", "main.py", cwd=project)
    assert done.status == 0, done.err
    assert done.out.split() == b"lane 2 47 [37, 17, 47, 17, 57]".split()
