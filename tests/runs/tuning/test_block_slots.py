"""The block of a launch as numbers to be changed, together with a grid that is written beside it."""

from __future__ import annotations

import pytest

from advisor.runs.tuning.slots.numbers_in_source import configured_texts, present_configuration

KERNEL = """\
@cuda.jit
def kernel(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


"""
PLANE = """\
@cuda.jit
def kernel(x):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        x[i, j] *= 2


"""
STRIDE = """\
@cuda.jit
def kernel(x):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        x[i] *= 2


"""


def changed(project, text, *threads):
    """The workload's text with another block."""
    project.write(text)
    target = project.target()
    assert not target.block.reason
    changes = {slot.name: value for slot, value in zip(target.block.axes, threads, strict=True)}
    configuration = present_configuration(target.slots).changed(changes)
    return configured_texts(target.texts, target.slots, configuration)["kernels.py"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # By a name at the top of the module, from which the grid is computed.
        (
            "THREADS = 100\n\n\ndef workload():\n    kernel[(n + THREADS - 1) // THREADS, THREADS](x)\n",
            "THREADS = 128\n\n\ndef workload():\n    kernel[(n + THREADS - 1) // THREADS, THREADS](x)\n",
        ),
        # By names in the function, and through a function of the user's.
        (
            "def workload():\n    t = 100\n    g = blocks_for(n, t)\n    kernel[g, t](x)\n",
            "def workload():\n    t = 128\n    g = blocks_for(n, t)\n    kernel[g, t](x)\n",
        ),
        # By numbers; those of the grid follow, and no other number of the same size.
        (
            "n = 100\n\n\ndef workload():\n    kernel[(n + 99) // 100, 100](x)\n",
            "n = 100\n\n\ndef workload():\n    kernel[(n + 127) // 128, 128](x)\n",
        ),
        (
            "def workload():\n    kernel[(n + 100 - 1) // 100, 100](x)\n",
            "def workload():\n    kernel[(n + 128 - 1) // 128, 128](x)\n",
        ),
        (
            "T = 100\n\n\ndef workload():\n    kernel[math.ceil(n / 100), T](x)\n",
            "T = 128\n\n\ndef workload():\n    kernel[math.ceil(n / 128), T](x)\n",
        ),
        # By a name with a type, in a tuple, and with another name.
        (
            "T: int = 100\n\n\ndef workload():\n    kernel[(n + T - 1) // T, T](x)\n",
            "T: int = 128\n\n\ndef workload():\n    kernel[(n + T - 1) // T, T](x)\n",
        ),
        (
            "n, T = 100, 100\n\n\ndef workload():\n    kernel[(n + T - 1) // T, T](x)\n",
            "n, T = 100, 128\n\n\ndef workload():\n    kernel[(n + T - 1) // T, T](x)\n",
        ),
        (
            "T = U = 100\n\n\ndef workload():\n    kernel[(n + T - 1) // T, T](x)\n",
            "T = U = 128\n\n\ndef workload():\n    kernel[(n + T - 1) // T, T](x)\n",
        ),
    ],
)
def test_one_axis(project, before, after):
    assert changed(project, KERNEL + before, 128).endswith(KERNEL + after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "B = (22, 22)\n\n\ndef workload():\n"
            "    kernel[((h + B[0] - 1) // B[0], (w + B[1] - 1) // B[1]), B](x)\n",
            "B = (32, 8)\n\n\ndef workload():\n"
            "    kernel[((h + B[0] - 1) // B[0], (w + B[1] - 1) // B[1]), B](x)\n",
        ),
        # Each axis has its own numbers in the grid.
        (
            "def workload():\n    kernel[((h + 15) // 16, (w + 15) // 16), (16, 16)](x)\n",
            "def workload():\n    kernel[((h + 31) // 32, (w + 7) // 8), (32, 8)](x)\n",
        ),
    ],
)
def test_two_axes(project, before, after):
    assert changed(project, PLANE + before, 32, 8).endswith(PLANE + after)


def test_one_number_for_two_axes_is_one_slot(project):
    project.write(
        PLANE + "TILE = 16\n\n\ndef workload():\n    kernel[(h // TILE, w // TILE), (TILE, TILE)](x)\n"
    )
    block = project.target().block
    assert [slot.name for slot in block.axes] == ["TILE", "TILE"]
    assert len({slot.spots for slot in block.axes}) == 1


def test_all_launches_of_one_block_are_changed(project):
    text = KERNEL + "def workload():\n    kernel[n // 64, 64](x)\n    kernel[m // 64, 64](y)\n"
    assert changed(project, text, 128).endswith("kernel[n // 128, 128](x)\n    kernel[m // 128, 128](y)\n")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("kernel[80, 100](x)", "the grid at kernels.py:12 does not follow from the block"),
        ("kernel[(n + 255) // 256, 100](x)", "the grid at kernels.py:12 does not follow from the block"),
        ("kernel[blocks, threads_of(x)](x)", "the block at kernels.py:12 is not made of numbers in the file"),
        ("kernel.forall(n)(x)", "one of its launches is not written as kernel[grid, block](…)"),
    ],
)
def test_what_cannot_be_changed_is_told(project, body, reason):
    project.write(KERNEL + f"def workload():\n    {body}\n")
    target = project.target()
    assert not target.block.axes
    assert any(reason in note for note in target.notes)


def test_the_blocks_of_a_grid_stride_loop_can_be_changed(project):
    project.write(STRIDE + "BLOCKS = 80\n\n\ndef workload():\n    kernel[BLOCKS, 100](x)\n")
    assert {slot.name: slot.value for slot in project.target().tiles} == {"BLOCKS": 80}
    project.write(STRIDE + "def workload():\n    kernel[80, 100](x)\n    kernel[90, 100](x)\n")
    assert project.target().tiles == ()


def test_a_grid_stride_loop_needs_no_grid_that_follows(project):
    text = STRIDE + "def workload():\n    kernel[80, 100](x)\n"
    assert changed(project, text, 256).endswith("kernel[80, 256](x)\n")
