"""The sizes that are taken where nothing states them: knowledge/machine/synthesis.toml."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

from advisor.evidence.simulated.simt.launch import Extent as Shape
from advisor.model.data_files import knowledge_folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SizeKind: TypeAlias = Literal["round", "aligned", "odd", "small", "short"]
Blocks: TypeAlias = Literal["some", "inner", "all"]
UsualBlock: TypeAlias = Literal["shapes", "others", "small"]


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to make up a launch: with round sizes, others of which rows are aligned too, odd ones or small
    ones, and with `ordered` data or random data by its seed.

    Along the axes of `short` the data are shorter than a block, and where no grid is stated, it has so many
    `spare` blocks along each axis. `reals` is the largest real number in arrays. `code` is the number of the
    typing that it takes, in a request's codes, `pattern` that of the launch in the source whose block it
    takes. `blocks` are those that are run: the first and some others, only such as no edge of the data is
    near, or all. Where data is `repeated`, neighbours choose the same elements. `usual` is the kind of block
    that it has whatever the source states.
    """

    name: str
    seed: int
    sizes: SizeKind = "round"
    ordered: bool = False
    reals: float = 1.0
    code: int = 0
    blocks: Blocks = "some"
    pattern: int = 0
    short: tuple[int, ...] = ()
    spare: int = 0
    repeated: bool = False
    usual: UsualBlock | None = None

    @property
    def is_of_edges(self) -> bool:
        """Whether it tells only how often the edges of the data part a warp."""
        return self.blocks != "some"


@dataclass(frozen=True, slots=True)
class SizeChoice:
    """Numbers of elements, as that file describes them; `extents` for blocks of one, two and three axes."""

    extents: tuple[int, ...]
    rows: int
    trips: int
    row_length: int
    integer: int
    real: float


@dataclass(frozen=True, slots=True)
class SizeLimits:
    """What bounds the sizes that are made up; `array_bytes` that of all arrays of a launch together.

    `truths` is the share of boolean elements that are true where data is random, `repeats` how many
    neighbours hold one index where they repeat.
    """

    array_bytes: int
    least_extent: int
    least_trips: int
    values: int
    repeats: int
    truths: float
    real_step: float


@cache
def size_choice(kind: SizeKind) -> SizeChoice:
    """The sizes of one kind."""
    data = dict(_table()[kind])
    return SizeChoice(**{**data, "extents": tuple(data["extents"])})


@cache
def size_limits() -> SizeLimits:
    """What bounds the sizes that are made up."""
    return SizeLimits(**_table()["limits"])


@dataclass(frozen=True, slots=True)
class CloseLook:
    """How blocks are looked at access by access: how many, until so many instructions of lanes, with an L1 of
    so many bytes for each thread of the block, less its shared memory.
    """

    blocks: int
    lanes: int
    l1_bytes_per_thread: int
    least_l1_bytes: int
    l2_bytes: int


@cache
def close_look() -> CloseLook:
    """How blocks are looked at access by access."""
    return CloseLook(**_table()["close_look"])


@cache
def block_shapes(kind: UsualBlock = "shapes") -> tuple[Shape, ...]:
    """The blocks of kernels that use one, two and three axes, `others` that are as usual, or `small` ones."""
    shapes = _table()["block"][kind]
    return tuple((int(x), int(y), int(z)) for x, y, z in shapes)


@cache
def widest_share() -> float:
    """How far apart the least and the most share of parted branches may be that are told."""
    return float(_table()["told"]["widest_share"])


@cache
def most_threads() -> int:
    """The most threads of a block."""
    return int(_table()["block"]["most_threads"])


@cache
def most_blocks() -> int:
    """The most blocks of a launch of which all are run."""
    return int(_table()["block"]["most"])


@cache
def variants() -> tuple[Variant, ...]:
    """All variants, that of another typing among them."""
    return tuple(Variant(**{**one, "short": tuple(one.get("short", ()))}) for one in _table()["variants"])


@cache
def _table() -> dict[str, Any]:
    path = knowledge_folder() / "machine" / "synthesis.toml"
    found: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return found
