"""A kernel of Triton as text that needs no other file, and launches that are made up; plain values only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

# What a `tl.constexpr` may be besides a type of Triton.
Constant: TypeAlias = "int | float | bool | str | tuple[Constant, ...] | None"
Grid: TypeAlias = tuple[int, int, int]
Varies: TypeAlias = Literal["", "types", "rows"]


@dataclass(frozen=True, slots=True)
class TritonFunctionText:
    """One function below `@triton.jit`: where it stands, its text from the `def` on, and what its names mean.

    `constants` are the values of globals, `imports` names out of Triton's own modules, and `links` the other
    functions of the unit, by their numbers.
    """

    name: str
    path: str
    line: int
    source: str
    constants: tuple[tuple[str, Constant], ...] = ()
    imports: tuple[tuple[str, str], ...] = ()
    links: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class TritonPlan:
    """One launch that is made up.

    `pointers` are names with Triton's type of the elements (`fp32`) and how many there are, 0 where nothing
    tells; of those that are `assumed` nothing tells the type. `scalars` are numbers, `constants` the values
    of what is known in compilation, `types` those that are types of Triton; `options` those of the compiler
    (`num_warps`). `ordered` data rise. `varies` is what makes a request of a warp another one than in the
    first plan: nothing, types, or rows that begin anywhere.
    """

    variant: str
    grid: Grid
    pointers: tuple[tuple[str, str, int], ...] = ()
    scalars: tuple[tuple[str, int | float | bool], ...] = ()
    constants: tuple[tuple[str, Constant], ...] = ()
    types: tuple[tuple[str, str], ...] = ()
    options: tuple[tuple[str, int], ...] = ()
    assumed: tuple[str, ...] = ()
    ordered: bool = True
    varies: Varies = ""

    def with_types(self, variant: str, kind: str) -> TritonPlan:
        """The plan with another type for the elements of which nothing tells it."""
        pointers = tuple(
            (name, kind if name in self.assumed else known, count) for name, known, count in self.pointers
        )
        return replace(self, variant=variant, pointers=pointers, varies="types")


@dataclass(frozen=True, slots=True)
class TritonUnit:
    """A kernel with all functions that it calls, the kernel first, and the launches that are made up for it.

    `where` is the place of the launch that is the pattern, empty without one; `assumptions` are full
    sentences. `types` are that which plans take where nothing tells one, and another. `unknown` says why
    there are no plans, as a sentence, and is empty where there are some.
    """

    kernel: str
    path: str
    name: str
    line: int
    functions: tuple[TritonFunctionText, ...] = ()
    parameters: tuple[str, ...] = ()
    plans: tuple[TritonPlan, ...] = ()
    where: str = ""
    assumptions: tuple[str, ...] = ()
    types: tuple[str, str] = ("fp32", "fp16")
    unknown: str = ""
