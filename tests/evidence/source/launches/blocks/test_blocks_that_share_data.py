"""Launches that divide the data among blocks, so that another size leaves a rest."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

KERNEL = """
@cuda.jit
def k(a):
    i = cuda.grid(1)
    a[i] = 0

def run(a, n, threads):
    d = cuda.to_device(a)
    {launch}
"""


@pytest.mark.parametrize(
    "launch",
    ["k[128, 32](d)", "k[n // 256, 256](d)", "k[n // threads, threads](d)", "k[128, threads](d)"],
)
def test_several_blocks_of_several_threads(tmp_path: Path, launch: str) -> None:
    (kernel,) = records(tmp_path, "kernel", KERNEL.format(launch=launch))
    assert (value(kernel, "blocks_share_data"), value(kernel, "grid_rounded_up")) == (True, None)


@pytest.mark.parametrize(
    "launch",
    [
        "pass",
        "k[1, n](d)",
        "k[1, 256](d)",
        "k[n, 1](d)",
        "k[a.shape[0], a.shape[1]](d)",
        "m = n // threads\n    states = cuda.device_array(m * threads)\n    k[m, threads](states)",
        "assert n % 256 == 0\n    k[n // 256, 256](d)",
        "if n % threads:\n        raise ValueError(n)\n    k[n // threads, threads](d)",
        "states = make(threads * n, seed=1)\n    k[n, threads](states)",
    ],
)
def test_a_launch_made_for_the_data_or_the_other_way_round(tmp_path: Path, launch: str) -> None:
    (kernel,) = records(tmp_path, "kernel", KERNEL.format(launch=launch))
    assert value(kernel, "blocks_share_data") is None


@pytest.mark.parametrize(
    ("refusal", "shared"),
    [
        ("if n % 8:\n            raise ValueError(n)", None),
        ("assert n % 8 == 0", None),
        ("if n > 8:\n            raise ValueError(n)", True),
        ("pass", True),
    ],
)
def test_an_object_that_refuses_sizes(tmp_path: Path, refusal: str, shared: bool | None) -> None:
    text = (
        KERNEL.split("def run")[0]
        + f"""
class Model:
    def __init__(self, n):
        {refusal}
        self.n = n

    def step(self, threads):
        k[self.n // threads, threads](cuda.device_array(self.n))
"""
    )
    (kernel,) = records(tmp_path, "kernel", text)
    assert value(kernel, "blocks_share_data") is shared


@pytest.mark.parametrize(
    ("launch", "rounded"),
    [("k.forall(n)(d)", True), ("k.forall(n, 128)(d)", True), ("k.forall(n, 1)(d)", None)],
)
def test_forall_rounds_up_to_whole_blocks(tmp_path: Path, launch: str, rounded: bool | None) -> None:
    (kernel,) = records(tmp_path, "kernel", KERNEL.format(launch=launch))
    assert value(kernel, "grid_rounded_up") is rounded
