"""Arguments of launches that are called as other parameters of the kernel are."""

from __future__ import annotations

import pytest
from surveying import records, value

PROGRAM = """
@cuda.jit
def blend(source, target, width, height):
    x, y = cuda.grid(2)
    if x < width and y < height:
        target[y, x] = source[y, x]

@cuda.jit
def weigh(matrix, weights):
    i = cuda.grid(1)
    matrix[i, 0] = weights[i]

"""


def swapped(folder, body: str) -> str:
    text = PROGRAM + "def main(source, target, width, height, n):\n"
    text += "\n".join("    " + line for line in body.splitlines()) + "\n"
    return value(records(folder, "launch", text)[-1], "swapped_arguments")


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("blend[1, 1](target, source, width, height)", "target, source"),
        ("blend[1, 1](source, target, height, width)", "height, width"),
        (
            "d_source = d_target = source\nblend[1, 1](d_target, d_source, width, height)",
            "d_target, d_source",
        ),
        (
            "source_gpu = target_gpu = source\nblend[1, 1](target_gpu, source_gpu, 1, 2)",
            "target_gpu, source_gpu",
        ),
        ("blend[1, 1](target, width, source, height)", "target, width, source"),
        ("a = np.zeros((5, 5))\nb = np.zeros(5)\nweigh[1, 5](b, a)", "b, a"),
    ],
)
def test_arguments_in_each_others_places(tmp_path, body, names):
    assert swapped(tmp_path, body) == names


@pytest.mark.parametrize(
    "body",
    [
        "blend[1, 1](source, target, width, height)",
        "blend[1, 1](n, source, width, height)",
        "blend[1, 1](target, target, width, height)",
        "blend[1, 1](source, target, width, height)\nblend[1, 1](target, source, width, height)",
        "for _ in range(9):\n    blend[1, 1](target, source, 3, 4)\n    source, target = target, source",
        "a = np.zeros((5, 5))\nb = np.zeros(5)\nweigh[1, 5](a, b)",
        "a = np.zeros((5, 5))\nweigh[1, 5](a, a)",
        "blend[1, 1](*n)",
    ],
)
def test_arguments_in_their_places_or_exchanged_on_purpose(tmp_path, body):
    assert swapped(tmp_path, body) == ""


def test_a_kernel_that_is_not_known(tmp_path):
    assert swapped(tmp_path, "other[1, 32](target, source, width, height)") is None
