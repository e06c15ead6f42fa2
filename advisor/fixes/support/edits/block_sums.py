"""The sum over all threads of a block, as lines of a kernel: a tree in shared memory."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.fixes.place import Place


@dataclass(frozen=True)
class BlockSizes:
    """What the launches of a kernel have in common: the most threads of a block, and its dimensions."""

    most: int
    dimensions: int


def block_sizes(place: Place) -> BlockSizes | None:
    """The block sizes of a kernel's launches; None where there is no launch or one of them is not known."""
    blocks = _blocks(place)
    if blocks is None:
        return None
    return BlockSizes(max(x * y * z for x, y, z in blocks), block_dimensions(place))


def block_dimensions(place: Place) -> int:
    """The dimensions in which blocks of a kernel's launches have more than one thread, 3 where one of them
    is not known."""
    blocks = _blocks(place)
    if blocks is None:
        return 3
    return max(3 if z > 1 else 2 if y > 1 else 1 for _, y, z in blocks)


def _blocks(place: Place) -> list[tuple[int, int, int]] | None:
    found = []
    for row in place.rows("launch"):
        x, y, z = row.block
        if not x or not y or not z:
            return None
        found.append((x, y, z))
    return found or None


def thread_number(cuda: str, dimensions: int) -> str:
    """The expression that counts the threads of a block from 0, in blocks of some dimensions."""
    x, y, z = (f"{cuda}.threadIdx.{axis}" for axis in "xyz")
    width, height = f"{cuda}.blockDim.x", f"{cuda}.blockDim.y"
    return [x, f"{x} + {width} * {y}", f"{x} + {width} * ({y} + {height} * {z})"][dimensions - 1]


def thread_count(cuda: str, dimensions: int) -> str:
    """The expression of the number of threads of a block, in blocks of some dimensions."""
    return " * ".join(f"{cuda}.blockDim.{axis}" for axis in "xyz"[:dimensions])


@dataclass(frozen=True)
class SumNames:
    """The names that a sum over the block brings into a kernel."""

    partial: str
    thread: str
    threads: str
    stride: str


def tree_lines(cuda: str, step: str, sizes: BlockSizes, names: SumNames, dtype: str, value: str) -> list[str]:
    """The lines that leave the block's sum of a value in element 0 of a shared array.

    `dtype` is the expression of the element type. The lines are right for every block of at most as many
    threads as the largest one, also when their number is no power of two; all threads have to reach them.
    """
    size = 1 << (sizes.most - 1).bit_length()
    partial, thread, stride = names.partial, names.thread, names.stride
    lines = [
        f"{partial} = {cuda}.shared.array({size}, {dtype})",
        f"{thread} = {thread_number(cuda, sizes.dimensions)}",
    ]
    threads = thread_count(cuda, sizes.dimensions)
    if sizes.dimensions > 1:
        lines.append(f"{names.threads} = {threads}")
        threads = names.threads
    return [
        *lines,
        f"{partial}[{thread}] = {value}",
        f"{cuda}.syncthreads()",
        f"{stride} = {size // 2}",
        f"while {stride} > 0:",
        f"{step}if {thread} < {stride} and {thread} + {stride} < {threads}:",
        f"{step * 2}{partial}[{thread}] += {partial}[{thread} + {stride}]",
        f"{step}{cuda}.syncthreads()",
        f"{step}{stride} >>= 1",
    ]
