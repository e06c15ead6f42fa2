"""Compiler processes outlive one check, for the next; a forked process has none of its parent's."""

import os

from advisor.check.pipeline import check
from advisor.evidence.compiled.compilers.worker_pool import own_stock
from advisor.model.settings.check_options import CheckOptions

KERNEL = """
from numba import cuda, float32

@cuda.jit("void(float32[::1])")
def {name}(x):
    x[cuda.grid(1)] = 1.0
"""


def test_two_checks_are_served_by_one_process(tmp_path):
    own_stock().empty()
    processes = []
    for name in ("first", "second"):
        file = tmp_path / f"{name}.py"
        file.write_text(KERNEL.format(name=name), encoding="utf-8")
        check(
            [file],
            CheckOptions("h100-sxm", root=tmp_path, evidence="compiled", cache_folder=None, no_run=True),
        )
        idle = own_stock()
        worker = idle.take()
        processes.append(worker)
        idle.give_back(worker)
    assert processes[0] is processes[1]
    assert processes[0].units == 2


def test_a_forked_process_has_its_own():
    reading, writing = os.pipe()
    mine = own_stock()
    child = os.fork()
    if child == 0:
        os.write(writing, b"own" if own_stock() is not mine else b"shared")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 10) == b"own"
    assert own_stock() is mine
