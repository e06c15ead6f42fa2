"""`advisor run`: the program's own output and exit status, and a record of what it launched."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import time

import pytest
from advisor_command import PROGRAM
from recorded_launches import recorded

LAUNCH = """
x = cuda.to_device(np.arange(5, dtype=np.float32))
twice[1, 32](x)
print(x.copy_to_host().tolist())
"""
DOUBLED = b"[0.0, 2.0, 4.0, 6.0, 8.0]\n"


def test_a_program_runs_to_its_end_and_its_launch_is_noted(advise, project, script):
    script("print(sys.argv[1:], __name__)\n" + LAUNCH)
    done = advise("run", "main.py", "--epochs", "3", "-m", cwd=project)
    assert (done.status, done.out) == (0, b"['--epochs', '3', '-m'] __main__\n" + DOUBLED)
    assert done.err == "advisor: 1 launch recorded.\n"
    rows = recorded(
        project, "SELECT kernel, path, line, launch_path, launch_line, grid, block, stream FROM launches"
    )
    assert rows == [("twice", "main.py", 10, "main.py", 20, "[1, 1, 1]", "[32, 1, 1]", 0)]
    ((arguments,),) = recorded(project, "SELECT arguments FROM launches")
    (argument,) = json.loads(arguments)
    assert argument["name"] == "x" and argument["shape"] == [5] and argument["strides"] == [4]
    assert recorded(project, "SELECT command, executed_on, status FROM runs") == [
        ("main.py --epochs 3 -m", "simt", "done")
    ]


def test_no_contents_of_arrays_are_recorded(advise, project, script):
    script("x = np.full(8, 123456789.0)\ntwice[1, 32](x)\n")
    assert advise("run", "main.py", cwd=project).status == 0
    files = [path for path in (project / ".advisor").rglob("*") if path.is_file()]
    store = b"".join(path.read_bytes() for path in files)
    assert b"twice" in store
    assert b"123456789" not in store and b"246913578" not in store
    assert struct.pack("<d", 123456789.0) not in store and struct.pack("<d", 246913578.0) not in store


def test_a_module_as_python_does(advise, project, script):
    (project / "tool").mkdir()
    script(LAUNCH + "print(sys.argv[1:], __package__)\n", "tool/__main__.py")
    (project / "tool" / "__init__.py").write_text("")
    done = advise("run", "-m", "tool", "a", "b", cwd=project)
    assert (done.status, done.out) == (0, DOUBLED + b"['a', 'b'] tool\n")
    assert recorded(project, "SELECT path, status FROM launches JOIN runs ON runs.id = run") == [
        ("tool/__main__.py", "done")
    ]


ENDS = [
    ("sys.exit(7)", 7, "", "done"),
    ("sys.exit()", 0, "", "done"),
    ("sys.exit('out of luck')", 1, "out of luck", "done"),
    ("raise ValueError('wrong')", 1, "ValueError: wrong", "failed"),
    ("raise KeyboardInterrupt", 130, "Interrupted.", "interrupted"),
    ("twice[1, 2000](x)", 1, "CUDA_ERROR_INVALID_VALUE", "failed"),
    ("twice[0, 32](x)", 1, "must be >= 1", "failed"),
    ("twice[1, 32, 0, 10**6](x)", 1, "CUDA_ERROR_INVALID_VALUE", "failed"),
    ("twice[1, 32](np.array([None, 1], object))", 1, "object", "failed"),
]


@pytest.mark.parametrize(("end", "status", "said", "state"), ENDS, ids=[one[0] for one in ENDS])
def test_the_status_is_the_programs_and_what_came_before_is_kept(
    advise, project, script, end, status, said, state
):
    script(LAUNCH + end + "\n")
    done = advise("run", "main.py", cwd=project)
    assert done.status == status
    assert done.out == DOUBLED
    assert said in done.err
    assert "advisor/evidence/simulated/launches" not in done.err, "the traceback begins in the program"
    assert recorded(project, "SELECT kernel FROM launches") == [("twice",)]
    assert recorded(project, "SELECT status FROM runs") == [(state,)]


def test_recursion_on_the_device_is_named(advise, project, script):
    script("""
        @cuda.jit("int64(int64)", device=True)
        def factorial(n):
            if n <= 1:
                return 1
            return n * factorial(n - 1)

        @cuda.jit
        def product(x):
            x[0] = factorial(x[0])

        product[1, 1](np.array([5]))
    """)
    done = advise("run", "main.py", cwd=project)
    assert done.status == 1
    assert "product cannot run without a GPU" in done.err
    assert "recursi" in done.err
    ((problem,),) = recorded(project, "SELECT problem FROM counts")
    assert "recursi" in problem


def test_arrays_with_gaps_are_refused_as_on_a_gpu_and_views_of_device_arrays_work(advise, project, script):
    script("""
        x = np.arange(12, dtype=np.float32)
        try:
            twice[1, 32](x[::2])
        except ValueError as error:
            print(type(error).__name__)
        d = cuda.to_device(x)
        twice[1, 32](d[::3])
        print(d.copy_to_host().tolist())
    """)
    done = advise("run", "main.py", cwd=project)
    assert done.status == 0, done.err
    assert done.out.splitlines()[-1] == b"[0.0, 1.0, 2.0, 6.0, 4.0, 5.0, 12.0, 7.0, 8.0, 18.0, 10.0, 11.0]"


def test_a_kernel_that_never_ends_is_stopped(advise, project, script):
    script("""
        @cuda.jit
        def forever(x):
            while x[0] >= 0:
                x[0] += 1
        x = np.ones(1)
        forever[1, 1](x)
    """)
    begin = time.monotonic()
    done = advise("run", "--time-limit", "1", "main.py", cwd=project)
    assert done.status == 1
    assert "forever did not end within 1 s on the simulated GPU" in done.err
    assert time.monotonic() - begin < 60
    ((statistics,),) = recorded(project, "SELECT statistics FROM counts")
    assert json.loads(statistics)["ended"] is False


def test_a_missing_program(advise, project):
    done = advise("run", "missing.py", cwd=project)
    assert (done.status, done.out) == (2, b"")
    assert "There is no file missing.py." in done.err
    assert not (project / ".advisor" / "launches.sqlite").exists()


def test_a_second_run_is_told_apart(advise, project, script):
    script(LAUNCH)
    for _ in range(2):
        assert advise("run", "--quiet", "main.py", cwd=project).err == ""
    assert recorded(project, "SELECT run FROM launches ORDER BY id") == [(1,), (2,)]


CHILDREN = """
import multiprocessing
import subprocess


def work(n):
    x = np.arange(n, dtype=np.float32)
    twice[1, 64](x)
    return float(x.sum())


if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        print(pool.map(work, [4, 5, 6]))
    other = [sys.executable, "-c", "import main; print(main.work(3))"]
    print(subprocess.run(other, capture_output=True, text=True, check=True).stdout, end="")
    print(work(2))
"""


@pytest.mark.parametrize("way", ["spawn", "fork"])
def test_launches_of_child_processes_belong_to_the_run(advise, project, script, way):
    script(CHILDREN)
    done = advise("run", "main.py", way, cwd=project)
    assert done.status == 0, done.err
    assert done.out.decode().split("\n") == ["[12.0, 20.0, 30.0]", "6.0", "2.0", ""]
    assert done.err.splitlines()[-1] == "advisor: 5 launches recorded."
    assert recorded(project, "SELECT DISTINCT run, kernel FROM launches") == [(1, "twice")]


def test_a_sitecustomize_of_the_users_own_still_runs(advise, project, script, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sitecustomize.py").write_text("import sys\nsys.from_own_site = 'yes'\n")
    script("""
        import subprocess
        text = "import sys; print(sys.from_own_site, 'numba' in sys.modules)"
        subprocess.run([sys.executable, "-c", text], check=True)
    """)
    path = os.pathsep.join([str(PROGRAM), str(tmp_path / "own")])
    done = advise("run", "main.py", cwd=project, environment={"PYTHONPATH": path})
    assert (done.status, done.out) == (0, b"yes False\n"), done.err


SLOW = """
import time
for number in range(1000):
    x = cuda.to_device(np.arange(5, dtype=np.float32))
    twice[1, 32](x)
    if number == 0:
        print("begun", flush=True)
    time.sleep(0.01)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_what_a_killed_run_had_written_is_there(advise, project, script, number):
    script(SLOW)
    environment = {**os.environ, "PYTHONPATH": str(PROGRAM), "HOME": str(advise.home)}
    command = [sys.executable, "-m", "advisor", "run", "main.py"]
    with subprocess.Popen(
        command, cwd=project, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        time.sleep(1.0)
        process.send_signal(number)
        process.communicate(timeout=60)
    assert process.returncode == (-signal.SIGKILL if number == signal.SIGKILL else 130)
    assert recorded(project, "SELECT count(*) FROM launches")[0][0] > 3
    state = "running" if number == signal.SIGKILL else "interrupted"
    assert recorded(project, "SELECT status FROM runs") == [(state,)]
    # The record is whole, and serves the check and the next run.
    assert recorded(project, "PRAGMA integrity_check") == [("ok",)]
    done = advise.check("--no-run", "main.py", cwd=project)
    assert done.status in (0, 1)
    assert done.errors == []


def test_two_runs_at_once_lose_nothing(advise, project, script):
    script("""
        for number in range(60):
            x = np.arange(4, dtype=np.float32)
            twice[1, 32 + number](x)
    """)
    environment = {**os.environ, "PYTHONPATH": str(PROGRAM), "HOME": str(advise.home)}
    command = [sys.executable, "-m", "advisor", "run", "main.py"]
    runs = [subprocess.Popen(command, cwd=project, env=environment, stderr=subprocess.PIPE) for _ in range(2)]
    for run in runs:
        _, said = run.communicate(timeout=120)
        assert run.returncode == 0, said
        assert said.endswith(b"advisor: 60 launches recorded.\n")
    rows = recorded(
        project, "SELECT run, count(*), count(DISTINCT number), count(counts) FROM launches GROUP BY run"
    )
    assert rows == [(1, 60, 60, 60), (2, 60, 60, 60)]


def test_what_a_kernel_prints_is_bounded_as_on_a_gpu(advise, project, script):
    script("""
@cuda.jit
def says(n):
    i = cuda.grid(1)
    if i < n:
        print("thread", 1000000 + i)

print("before")
says[128, 1024](131072)
print("after")
""")
    done = advise("run", "main.py", cwd=project)
    lines = done.out.decode().splitlines()
    # Each line has 15 bytes: 1,048,576 // 15 = 69,905 are kept.
    kept = 69905
    assert lines == ["before", *(f"thread {1000000 + i}" for i in range(131072 - kept, 131072)), "after"]
    assert (
        f"advisor: says: the first {131072 - kept:,} lines that it printed are lost, as on a GPU: a launch"
        " keeps the last 1,048,576 bytes (cudaLimitPrintfFifoSize)." in done.err
    )
