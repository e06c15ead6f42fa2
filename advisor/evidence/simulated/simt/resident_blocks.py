"""Which blocks of a grid are resident on a multiprocessor together.

Block b goes to multiprocessor b modulo their number, and each holds so many blocks at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def neighbours_first(blocks: int, processors: int, residents: int) -> Iterator[int]:
    """All blocks, those that are resident together side by side, the multiprocessors in their order."""
    together = processors * residents
    for wave in range(0, blocks, together):
        for processor in range(min(processors, blocks - wave)):
            yield from range(wave + processor, min(wave + together, blocks), processors)


def ranges_without(blocks: int, left_out: Iterable[int]) -> list[range]:
    """The ranges of neighbouring blocks between those left out, in order."""
    ends = [*sorted(left_out), blocks]
    begins = [0, *(end + 1 for end in ends)]
    return [range(begin, end) for begin, end in zip(begins, ends, strict=False) if begin < end]


def ranges_of(numbers: Iterable[int]) -> list[range]:
    """The ranges of neighbouring blocks in ascending numbers."""
    found: list[range] = []
    for number in numbers:
        if found and found[-1].stop == number:
            found[-1] = range(found[-1].start, number + 1)
        else:
            found.append(range(number, number + 1))
    return found


def split_at(ranges: Iterable[range], number: int) -> tuple[list[range], list[range]]:
    """The parts of some ranges below a number, and the others."""
    every = list(ranges)
    below = [range(one.start, min(one.stop, number)) for one in every if one.start < number]
    above = [range(max(one.start, number), one.stop) for one in every if one.stop > number]
    return below, above


def residents_of(processor: int, blocks: int, processors: int, residents: int) -> int:
    """How many blocks of a grid a multiprocessor holds at a time."""
    return min(residents, len(range(processor, blocks, processors)))
