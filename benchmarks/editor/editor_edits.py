"""What a programmer types: a statement in a kernel, character by character, and taken back again."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

_TYPED = (
    "scratch = cuda.threadIdx.x + 3",
    "total = 0.0",
    "for step in range(4): pass",
    "lane = cuda.laneid  # the lane within the warp",
    "limit = min(cuda.blockDim.x, 64)",
)


@dataclass(frozen=True)
class Edit:
    """A text in the place of another; lines and columns count from 0."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


def edits(text: str, seed: int = 1) -> Iterator[Edit]:
    """Edits without end: in some function a new line, a statement in it, and the line removed again.

    Three of four places lie in kernels, the others in the functions that launch them.
    """
    rng = random.Random(seed)
    lines = text.split("\n")
    kernels = [at + 2 for at, line in enumerate(lines) if line.startswith("@cuda.jit")]
    others = [
        at + 1
        for at, line in enumerate(lines)
        if line.startswith("def ") and at - 1 not in (k - 2 for k in kernels)
    ]
    others = [at for at in others if lines[at].startswith("    ")]
    while True:
        at = rng.choice(kernels if rng.random() < 0.75 else others)
        indent = " " * (len(lines[at]) - len(lines[at].lstrip()))
        statement = rng.choice(_TYPED)
        yield Edit(at, 0, at, 0, f"{indent}\n")
        column = len(indent)
        for character in statement:
            yield Edit(at, column, at, column, character)
            column += 1
        yield Edit(at, 0, at + 1, 0, "")
