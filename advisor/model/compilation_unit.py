"""A kernel made self-contained: all that a compiler needs, and nothing that would run the user's code."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

_MOST_SHOWN = 3


@dataclass(frozen=True, slots=True)
class FunctionText:
    """One function to define: its `def` without decorators and annotations; only literal defaults of device
    functions stay, since callers may leave these arguments out.

    `source` is dedented; its first line stands at `line` of `path`, so that machine code points there.
    `name` is unique within the unit and callers use it. `device` tells a device function from the kernel.
    `columns` gives for each line where its text begins and ends in the file, from 1, the end exclusive;
    empty where that is not known.
    """

    name: str
    source: str
    path: str
    line: int
    device: bool = True
    columns: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ArgumentTypes:
    """One possible typing of the kernel's parameters.

    `types` are Numba type expressions as text, one for each parameter (`float32[:,::1]`, `int64`,
    `UniTuple(int64, 2)`), made of the names of `numba.types` and of `xoroshiro128p_type`, the record of
    `numba.cuda.random`; an array of records is `from_dtype([('x', '<f4')], False)[::1]`, with whether the
    record is aligned.
    `assumptions` are full sentences, empty when the source states the types; `assumed` names the
    parameters whose type is a guess. `launch` says where a launch with these types was seen, and is empty for
    types that no launch showed. `maybe_bytes` are assumed arrays whose elements may be bytes: the code tests
    and writes them as 0, 1 or 255. `alternative` is the typing with other layouts of the records whose layout
    is a guess, empty where none is. `known_elements` are assumed arrays of known elements: only their
    dimensions are a guess.
    """

    types: tuple[str, ...]
    assumptions: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    launch: str = ""
    alternative: tuple[str, ...] = ()
    maybe_bytes: tuple[str, ...] = ()
    known_elements: tuple[str, ...] = ()

    @property
    def assumed_elements(self) -> tuple[str, ...]:
        """The parameters whose numbers may have other types than those that are taken."""
        return tuple(name for name in self.assumed if name not in self.known_elements)


@dataclass(frozen=True, slots=True)
class Placeholder:
    """What stands for a global or closure variable whose value the source does not give.

    `name` is that of the unit's `constants`, `type` the Numba type inferred from its use (`type` for a data
    type itself), `value` the text among the constants, `other` a second value. What differs between the two
    is not known.
    """

    name: str
    type: str
    value: str
    other: str


@dataclass(frozen=True, slots=True)
class ArgumentValue:
    """What the source says of one value that a launch passes: the sizes of an array, or a number.

    `item` is empty for an argument, and `.0` for the first item of one that is a tuple.
    """

    item: str = ""
    shape: tuple[int | None, ...] | None = None
    number: float | None = None


@dataclass(frozen=True, slots=True)
class StatedLaunch:
    """What the source says of a launch of a kernel at a line of `path`; None is what it leaves open.

    `arguments` has what is known of the values of each argument, and is empty where they are not written one
    by one. `possible_blocks` are those that branches of the host code choose from, where they do.
    `block_is_share`: the block is a size that is not fixed divided by the number of blocks. `sized_grid` is
    the grid also where it is computed from arrays of sizes that the source fixes.
    """

    path: str
    line: int
    block: tuple[int | None, ...] | None
    grid: tuple[int | None, ...] | None
    dynamic_shared: int | None = None
    arguments: tuple[tuple[ArgumentValue, ...], ...] = ()
    possible_blocks: tuple[tuple[int | None, ...], ...] = ()
    block_is_share: bool = False
    sized_grid: tuple[int | None, ...] | None = None


@dataclass(frozen=True, slots=True)
class UndefinedName:
    """A name that a function of the unit reads and nothing defines, and where it is read."""

    name: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a compiler does not take a kernel, as a clause, and where the code at fault stands."""

    reason: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class CudaText:
    """A text of CUDA C++, the kernel of it that is meant (a name expression), and options of the compiler."""

    text: str
    name: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CompilationUnit:
    """A kernel, the device functions it calls and the constants they read.

    All functions share one namespace; names that several modules use differently have been made unique.
    `constants` maps a global name to a Python expression made of literals, `np.<dtype>(literal)`,
    `math.<name>`, `numba.<type>` and arrays `np.array(literal, dtype=np.<dtype>)` or `np.zeros(shape, …)`;
    `aliases` maps a global name to a dotted name below numpy, numba, math, cmath or operator (`cuda` to
    `numba.cuda`, `f32` to `numba.float32`), the only modules a worker imports; `candidates` are the typings
    to try in order (the first that type-checks is taken). `missing` names globals that could not be resolved,
    each with the place where it is read and the reason, `n in line 3 (a parameter of make)`: with any of
    these the unit cannot be compiled, and the reason is given to the user. `untyped` says likewise why there
    is no assumed typing.
    `assumptions` are those of the candidates that are about no types. Those of the `missing` names that are
    certain not to be defined at all are also `undefined`: the program itself cannot compile the kernel. Of
    those that are known, and are nothing that Numba compiles, `unusable` has a clause each: "`f` in line 3 is
    a plain Python function, which a kernel cannot call". `placeholders` are those of the `constants` whose
    value is a guess; a sentence for each is among the assumptions. `others` is the unit with other values of
    names of which the source gives several; the functions that both have come first, in the same order.
    `options` are literal options of the decorator (fastmath, max_registers, debug, opt …). `launches` are
    those in the source, those of tests only where there are no others; they decide nothing of what the unit
    compiles to. `other_compiler` is one that the program compiles the kernel with instead of Numba's, from
    the same types to machine code of its own.
    `own_fault` is whether a refusal by the compiler is the program's fault, as nothing in it teaches Numba
    more than it knows; only then `rejected` are places of which it is certain that no compiler takes them,
    and `suspects` those that explain a refusal. `stated` is whether a signature gives the types.
    `of_any_order` are array parameters whose elements may lie in another order than row by row, as far as
    launches show. `cuda` is the text of a kernel that is written in CUDA C++: its first function then.
    """

    kernel: str
    path: str
    functions: tuple[FunctionText, ...]
    constants: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    candidates: tuple[ArgumentTypes, ...] = ()
    options: dict[str, object] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    untyped: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    unusable: tuple[str, ...] = ()
    undefined: tuple[UndefinedName, ...] = ()
    placeholders: tuple[Placeholder, ...] = ()
    launches: tuple[StatedLaunch, ...] = ()
    others: tuple[CompilationUnit, ...] = ()
    other_compiler: str = ""
    own_fault: bool = False
    rejected: tuple[Rejection, ...] = ()
    suspects: tuple[Rejection, ...] = ()
    stated: bool = False
    of_any_order: tuple[str, ...] = ()
    cuda: CudaText | None = None

    def with_other_values(self, number: int = 0) -> tuple[CompilationUnit, ...]:
        """The unit in the typing of that number alone, with each of the other values that the source gives;
        the first of them with the second value of each placeholder and the alternative layouts of records.
        A reading on which not all of these agree with the unit is not known.
        """
        typing = self.candidates[number]
        guessing = bool(self.placeholders or typing.alternative)
        others = self.others or ((self,) if guessing else ())
        return tuple(one._otherwise(number, guessed=place == 0) for place, one in enumerate(others))

    def _otherwise(self, number: int, guessed: bool) -> CompilationUnit:
        """The unit in one typing, with the second values of what is guessed where that is wanted."""
        typing = self.candidates[min(number, len(self.candidates) - 1)]
        second = {one.name: one.other for one in self.placeholders} if guessed else {}
        types = typing.alternative if guessed and typing.alternative else typing.types
        return replace(
            self,
            constants={**self.constants, **second},
            candidates=(replace(typing, types=types),),
            others=(),
        )

    @property
    def obstacle(self) -> str:
        """Why the unit cannot be compiled, as the end of a sentence; empty where it can be."""
        if self.unusable:
            return ", ".join(self.unusable[:_MOST_SHOWN])
        if self.unresolved:
            named = ", ".join(self.unresolved[:_MOST_SHOWN])
            return f"{named} cannot be resolved without running the program"
        return "" if self.candidates else "the types of its parameters are not known"

    @property
    def unresolved(self) -> tuple[str, ...]:
        """What keeps the unit from being compiled: `missing`, and without a typing why there is none."""
        return self.missing or (() if self.candidates else self.untyped)
