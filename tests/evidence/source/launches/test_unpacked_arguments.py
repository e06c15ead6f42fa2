"""Launches with `*arguments`, a tuple that is written out elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

KERNEL = """
@cuda.jit
def k(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i]

def timed(kernel, blocks, threads, arguments):
    kernel[blocks, threads](*arguments)

def run(n, *rest):
    a = np.zeros(4096)
    out = cuda.device_array(4096)
"""


@pytest.mark.parametrize(
    ("body", "known"),
    [
        ("given = (a, out)\nk[16, 256](*given)", (2, 4096)),
        ("k[16, 256](*(a, out))", (2, 4096)),
        ("given = a, out\nagain = k\nagain[16, 256](*given)", (2, 4096)),
        ("given = (out,)\nk[16, 256](a, *given)", (2, 4096)),
        ("timed(k, 16, 256, (a, out))", (2, 4096)),
        ("given = (a, out)\ntimed(k, 16, 256, given)", (2, 4096)),
        ("k[16, 256](*rest)", (1, None)),
        ("given = (a, *rest)\nk[16, 256](*given)", (1, None)),
        ("given = [a, out]\nk[16, 256](*given)", (1, None)),
        ("given = (a, out)\nif n:\n    given = rest\nk[16, 256](*given)", (1, None)),
        ("given = make(a)\nk[16, 256](*given)", (1, None)),
    ],
)
def test_arguments_and_their_sizes(tmp_path: Path, body: str, known: tuple[int, int | None]) -> None:
    text = KERNEL + "".join(f"    {line}\n" for line in body.splitlines())
    launch = next(one for one in records(tmp_path, "launch", text) if one.owner)
    assert (value(launch, "arguments"), value(launch, "largest_array")) == known
    assert (value(launch, "blocks"), value(launch, "block_threads")) == (16, 256)
