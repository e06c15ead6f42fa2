"""Whether a grid is seen to be rounded up, and which of several assigned block sizes reaches a launch."""

from __future__ import annotations

import pytest
from surveying import records, survey_text, value

KERNEL = "@cuda.jit\ndef k(a):\n    a[cuda.grid(1)] = 1\n"


@pytest.mark.parametrize(
    ("host", "rounded"),
    [
        ("def run(a, n):\n    k[(n + 255) // 256, 256](a)\n", True),
        ("def run(a, n):\n    k[n // 256 + 1, 256](a)\n", True),
        ("def run(a, n):\n    k[-(-n // 256), 256](a)\n", True),
        ("def run(a, n):\n    k[math.ceil(n / 256), 256](a)\n", True),
        ("def run(a, n):\n    blocks = int(np.ceil(n / 256))\n    k[blocks, 256](a)\n", True),
        ("def up(n, t):\n    return (n + t - 1) // t\ndef run(a, n):\n    k[up(n, 256), 256](a)\n", True),
        ("def run(a, n):\n    x = math.ceil(n / 16)\n    grid = (x, x)\n    k[grid, (16, 16)](a)\n", True),
        (
            "def dims(n):\n    return cdiv(n, 9), 9\ndef run(a, n):\n    g, t = dims(n)\n    k[g, t](a)\n",
            True,
        ),
        ("def run(a, n):\n    g = n // 256\n    g += cdiv(n, 256)\n    g = n\n    k[g, 256](a)\n", None),
        ("def run(a, n):\n    k[n // 256, 256](a)\n", None),
        ("def run(a, n):\n    k[math.ceil(n // 256), 256](a)\n", None),
        ("def run(a, n):\n    k[math.ceil((n + 255) // 256), 256](a)\n", True),
        ("def run(a, n):\n    t = 256\n    g = int(math.ceil(n // t))\n    k[g, t](a)\n", None),
        ("def run(a, n):\n    k[32, 256](a)\n", None),
        ("def run(a, blocks):\n    k[blocks, 256](a)\n", None),
        ("", None),
        ("N = 512\ndef run(a):\n    k[(N + 255) // 256, 256](a)\n", None),
        ("N = 513\ndef run(a):\n    k[(N + 255) // 256, 256](a)\n", True),
        ("N = 512\ndef run(a):\n    k[N // 256 + 1, 256](a)\n", True),
        ("N = 512\ndef run(a):\n    k[-(-N // 256), 256](a)\n", None),
        ("N = 511\ndef run(a):\n    k[-(-N // 256), 256](a)\n", True),
        ("N = 512\ndef run(a):\n    k[math.ceil(N / 256), 256](a)\n", None),
        ("N = 500\ndef run(a):\n    k[math.ceil(N / 256), 256](a)\n", True),
        ("N = 512\ndef run(a):\n    q = N / 256\n    b = int(np.ceil(q))\n    k[b, 256](a)\n", None),
        ("N = 512\ndef run(a, n):\n    k[(cdiv(N, 16), cdiv(n, 16)), (16, 16)](a)\n", True),
        ("N = 512\ndef run(a, n):\n    k[(cdiv(N, 16), cdiv(N, 32)), (16, 32)](a)\n", None),
        ("N = 512\ndef run(a, n):\n    y = cdiv(n, 16)\n    k[(cdiv(N, 16), y), (16, 16)](a)\n", True),
        ("N = 512\ndef run(a):\n    y = cdiv(N, 16)\n    k[(cdiv(N, 16), y), (16, 16)](a)\n", None),
        ("N = -(-7 // 2)\ndef run(a):\n    k[cdiv(N, 2), 2](a)\n", None),
        ("T = 1\ndef run(a, n):\n    k[math.ceil(n / T), T](a)\n", None),
        ("T = 1\ndef run(a, n):\n    k[(n + T - 1) // T, T](a)\n", None),
        ("T = (1, 1)\ndef run(a, n):\n    k[(math.ceil(n / T[0]), math.ceil(n / T[1])), T](a)\n", None),
        ("T = (1, 2)\ndef run(a, n):\n    k[(math.ceil(n / T[0]), math.ceil(n / T[1])), T](a)\n", True),
        ("def run(a, n=512):\n    k[(n + 255) // 256, 256](a)\n", True),
    ],
)
def test_a_grid_that_is_rounded_up(tmp_path, host, rounded):
    (found,) = records(tmp_path, "kernel", KERNEL + host)
    assert value(found, "grid_rounded_up") is rounded


@pytest.mark.parametrize(
    ("grid", "follows"),
    [
        ("(2000 + 1023) // 1024", True),
        ("2048 // 1024 + 1", True),
        ("math.ceil(SIZE / 256)", True),
        ("(cdiv(SIZE, 16), cdiv(SIZE, 16))", True),
        ("COUNTED", True),
        ("32", False),
        ("SIZE", False),
        ("SIZE // 16", False),
    ],
)
def test_a_grid_that_is_a_size_in_blocks(tmp_path, grid, follows):
    host = f"SIZE = 4096\nCOUNTED = -(-SIZE // 256)\ndef run(a):\n    k[{grid}, 256](a)\n"
    (found,) = records(tmp_path, "launch", KERNEL + host)
    assert value(found, "grid_constant") is not follows


def test_a_launch_in_another_module_tells_too(tmp_path):
    host = "from kernels import k\ndef run(a, n):\n    k[(n + 255) // 256, 256](a)\n"
    found = survey_text(tmp_path, kernels=KERNEL, host=host).records
    (kernel,) = [record for record in found if record.entity == "kernel"]
    assert value(kernel, "grid_rounded_up") is True


@pytest.mark.parametrize(
    ("body", "threads"),
    [
        ("t = 64\nk[8, t](a)", 64),
        ("t = 64\nt = 128\nk[8, t](a)", 128),
        ("t = 64\nk[8, t](a)\nt = 128", 64),
        ("t = 64\nif a.size > 9:\n    t = 128\nk[8, t](a)", None),
        ("if a.size > 9:\n    t = 128\nelse:\n    t = 128\nk[8, t](a)", 128),
        ("if a.size > 9:\n    t = 64\n    raise ValueError\nt = 128\nk[8, t](a)", 128),
        ("t = 64\nfor i in range(3):\n    k[8, t](a)\n    t = 128", None),
        ("t = 64\nfor i in range(3):\n    t = 128\n    k[8, t](a)", 128),
        ("t = 64\nt += 64\nk[8, t](a)", 128),
        ("t = 64\nif a.size > 9:\n    t += 64\nk[8, t](a)", None),
        ("t = 64\nfor i in range(3):\n    t += 64\nk[8, t](a)", None),
        ("for t in (32, 64):\n    k[8, t](a)", None),
        ("t = 64\nfor t in (32, 64):\n    break\nk[8, t](a)", None),
        ("with open('f') as t:\n    k[8, t](a)", None),
        ("try:\n    t = 64\nexcept OSError:\n    t = 128\nk[8, t](a)", None),
        ("t = (8, 8)\nk[8, t](a)\nt = (16, 16)\nk[8, t](a)", 64),
        ("x, y = 8, 16\nk[8, (x, y)](a)", 128),
    ],
)
def test_the_block_is_the_one_that_reaches_the_launch(tmp_path, body, threads):
    text = KERNEL + "def run(a):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    found = records(tmp_path, "launch", text)[0]
    assert value(found, "block_threads") == threads
