"""Launches that are made up for a Triton kernel: values of its parameters, the grid, the compiler's options.

They follow the launch in the source where there is one, walked through with sizes that are made up where it
does not state them; else the use of the parameters.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from advisor.evidence.source.triton.configurations import Configuration
from advisor.evidence.source.triton.declarations import TritonFunction
from advisor.evidence.source.triton.launches.launches import TritonLaunch
from advisor.evidence.source.triton.launches.tuning_records import dot_parameters, extent_parameters
from advisor.evidence.source.triton.units.host_calls import Refused
from advisor.evidence.source.triton.units.host_run import HostRun
from advisor.evidence.source.triton.units.host_values import (
    ODD,
    OTHER,
    ROUND,
    Array,
    Dictionary,
    DType,
    Host,
    Nothing,
    Sizes,
)
from advisor.evidence.source.triton.units.kernel_use import Use, use_of
from advisor.evidence.source.triton.walk.notes import KernelNotes
from advisor.evidence.source.triton.walk.reader import TritonReader
from advisor.model.machine_code.triton_unit import Constant, Grid, TritonPlan, Varies

_OPTIONS = ("num_warps", "num_stages")
# Extents of blocks that nothing tells, those of products along each axis, and others.
_EXTENT, _OF_PRODUCT = (128, 256), (64, 32)
_MOST_GRID = (1 << 31) - 1
# Programs along each axis of a grid that nothing tells.
_PROGRAMS = 8
_INDEX = "i64"
# An extent that programs take where they take few.
_LAST = 64
# Numbers that are known in compilation and that nothing tells, and others.
_SMALL = (4, 8)
# Triton compiles kernels for numbers that are multiples of it.
_MULTIPLE = 16


class NotPlanned(Exception):
    """No launch can be made up; the message is a sentence that says why."""


@dataclass(frozen=True)
class Planned:
    """The plans of a kernel, the place of the launch that they follow, and what all of them rest on."""

    plans: tuple[TritonPlan, ...]
    where: str
    assumptions: tuple[str, ...]
    types: tuple[str, str]


@dataclass(frozen=True)
class _Look:
    """What one plan varies: sizes, the configuration, the launch; `dtype` is taken where nothing tells it."""

    name: str
    sizes: Sizes
    dtype: str
    configuration: Configuration | None
    launch: TritonLaunch | None
    ordered: bool = True


def planned(kernel: TritonFunction, launches: Sequence[TritonLaunch], reader: TritonReader) -> Planned:
    """The plans of a kernel; raises NotPlanned."""
    notes = reader.notes(kernel)
    if kernel.wrapped:
        raise NotPlanned("A decorator that is not Triton's stands around the kernel.")
    use = use_of(notes)
    if not use.pointers:
        raise NotPlanned("Nothing shows which parameters of the kernel are pointers.")
    problem = "No launch that is made up is one that the program makes."
    for launch in [*_chosen(launches), None] if not launches else _chosen(launches):
        try:
            return _followed(
                kernel, launch, [one for one in launches if one is not launch], reader, notes, use
            )
        except NotPlanned as refused:
            problem = str(refused)
    raise NotPlanned(problem)


def _chosen(launches: Sequence[TritonLaunch]) -> list[TritonLaunch]:
    """The launches that may be the pattern, those of tests and benchmarks last."""
    return sorted(launches, key=lambda one: bool(one.context and one.context.timed))[:3]


def _followed(
    kernel: TritonFunction,
    launch: TritonLaunch | None,
    others: Sequence[TritonLaunch],
    reader: TritonReader,
    notes: KernelNotes,
    use: Use,
) -> Planned:
    """Plans that follow one launch."""
    types = ("fp16", "fp32") if use.products else ("fp32", "fp16")
    first, last = _configurations(kernel)
    maker = _Maker(kernel, reader, notes, use)
    base = _Look(ROUND.name, ROUND, types[0], first, launch)
    plans = [maker.plan(base)]
    assumptions = tuple(maker.assumptions)
    looks = [
        replace(base, name=OTHER.name, sizes=OTHER, ordered=False),
        replace(base, name=ODD.name, sizes=ODD, ordered=False),
    ]
    if last is not first:
        looks.append(replace(base, name="another configuration", configuration=last))
    looks += [replace(base, name="another launch", launch=one) for one in others[:1]]
    for look in looks:
        try:
            plan = maker.plan(look)
        except NotPlanned:
            if look.launch is not launch:
                continue
            if look.sizes is ODD:
                continue  # the program asks for round sizes
            raise
        same = replace(plan, variant=plans[0].variant, ordered=True)
        if same != plans[0] or look.sizes is OTHER:
            plans.append(plan)
    where = f"{launch.module.path}:{launch.node.lineno}" if launch is not None else ""
    return Planned(tuple(plans), where, assumptions, types)


def _configurations(kernel: TritonFunction) -> tuple[Configuration | None, Configuration | None]:
    """The first configuration that tuning tries, and the last; both None where none is written out."""
    if kernel.tuning is None:
        return None, None
    found = [one for one in kernel.tuning.configurations if all(one.sizes.values())]
    return (found[0], found[-1]) if found else (None, None)


@dataclass
class _Maker:
    """Makes the plans of one kernel; `assumed` are the pointers of the last one whose type nothing tells."""

    kernel: TritonFunction
    reader: TritonReader
    notes: KernelNotes
    use: Use
    assumed: list[str] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)

    def plan(self, look: _Look) -> TritonPlan:
        """One plan; raises NotPlanned where the program refuses its sizes, or a value cannot be made up."""
        sizes = look.sizes.halved() if self.use.products else look.sizes
        problem = ""
        for tried in (
            sizes,
            replace(sizes, square=True),
            replace(sizes, last=_LAST),
            replace(sizes, lenient=True),
        ):
            try:
                return self._made(replace(look, sizes=tried))
            except Refused as refused:
                problem = str(refused)
        raise NotPlanned(f"The program does not take sizes that are made up: {problem}.")

    def _made(self, look: _Look) -> TritonPlan:
        self.assumed, self.assumptions = [], []
        run = self._walked(look)
        launch = look.launch
        options = self._options(look, run)
        values = self._values(look, run)
        plan = _Plan()
        for name in self.kernel.parameters:
            self._add(plan, name, values.get(name, _MISSING), look, run)
        grid = self._grid(run, launch, {**values, **dict(plan.constants)}) if launch is not None else None
        if grid is None:
            grid = (_PROGRAMS, _PROGRAMS, 1) if self._axes() > 1 else (_PROGRAMS, 1, 1)
            self.assumptions.append("Nothing tells the grid.")
        self.assumptions += [
            f"The program {one}, which is passed over for sizes that are made up." for one in run.passed_over
        ]
        if run.taken:
            told = ", ".join(f"{name} is {_shown(value)}" for name, value in list(run.taken.items())[:6])
            self.assumptions.append(f"Numbers that the source does not state are made up: {told}.")
        return TritonPlan(
            look.name, grid, tuple(plan.pointers), tuple(plan.scalars), tuple(plan.constants.items()),
            tuple(plan.types), tuple(options.items()), tuple(self.assumed), look.ordered,
            _varies(plan.scalars),
        )  # fmt: skip

    def _walked(self, look: _Look) -> HostRun:
        """The host code walked through up to the launch."""
        launch = look.launch
        module = launch.module if launch is not None else self.kernel.module
        names = self.reader.names(module)
        run = HostRun(module, self.reader.workspace, names, look.sizes, launch.node if launch else None)
        if launch is not None:
            run.up_to_launch(launch.function)
        return run

    def _options(self, look: _Look, run: HostRun) -> dict[str, int]:
        found: dict[str, int] = {}
        given = look.launch.options if look.launch is not None else {}
        for name in _OPTIONS:
            value: Host = run.number(run.value(given[name])) if name in given else None
            if value is None and look.configuration is not None and look.configuration.options.get(name):
                value = _middle(look.configuration.options[name])
            if type(value) is int and value > 0:
                found[name] = value
        return found

    def _values(self, look: _Look, run: HostRun) -> dict[str, Host]:
        """What each parameter gets: from the launch, the configuration, a heuristic, or as its default."""
        launch, kernel = look.launch, self.kernel
        found: dict[str, Host] = {}
        for name, default in kernel.defaults().items():
            value = HostRun(
                kernel.module, self.reader.workspace, self.reader.names(kernel.module), look.sizes
            ).value(default)
            found[name] = value
        if launch is not None:
            found |= {name: run.value(node) for name, node in launch.given.items()}
        if look.configuration is not None:
            found |= {name: _middle(sizes) for name, sizes in look.configuration.sizes.items()}
        for name, node in self._heuristics().items():
            found[name] = _applied(node, Dictionary(dict(found)), run)
        return found

    def _heuristics(self) -> dict[str, ast.Lambda]:
        """The functions of `@triton.heuristics` that are written out."""
        names = self.reader.names(self.kernel.module)
        found = {}
        for one in self.kernel.node.decorator_list:
            if isinstance(one, ast.Call) and names.of(one.func) == "triton.heuristics":
                values = one.args[0] if one.args else next((k.value for k in one.keywords), None)
                for key, value in (
                    zip(values.keys, values.values, strict=True) if isinstance(values, ast.Dict) else ()
                ):
                    if isinstance(key, ast.Constant) and isinstance(value, ast.Lambda):
                        found[str(key.value)] = value
        return found

    def _add(self, plan: _Plan, name: str, value: Host, look: _Look, run: HostRun) -> None:
        is_extent = name in extent_parameters(self.notes) | dot_parameters(self.notes)
        if value is None and not is_extent:
            plan.constants[name] = None
        elif name in self.kernel.constants():
            self._add_constant(plan, name, value, look, run)
        elif isinstance(value, Array) or (name in self.use.pointers and not isinstance(value, int | float)):
            array = run.array(value) if value is not _MISSING else None
            plan.pointers.append(
                (name, self._dtype(name, array, look), array.count if array is not None else 0)
            )
        elif isinstance(value, Nothing) and not value.annotation and not self.use.is_whole(name):
            plan.scalars.append((name, 0.5))
            self.assumptions.append(f"Nothing tells {name}, which is taken to be 0.5.")
        elif isinstance(number := run.number(value), int | float):
            plan.scalars.append((name, number))
        elif value is _MISSING and look.launch is None:
            plan.scalars.append((name, self._by_use(name, look)))
        elif isinstance(value, Nothing | _Missing):
            plan.scalars.append((name, self._by_use(name, look)))
            self.assumptions.append(f"Nothing tells {name}.")
        else:
            raise NotPlanned(f"No value can be made up for the parameter {name}.")

    def _add_constant(self, plan: _Plan, name: str, value: Host, look: _Look, run: HostRun) -> None:
        if isinstance(value, DType) and value.name:
            plan.types.append((name, value.name))
            return
        number = run.number(value)
        other = look.sizes.name == OTHER.name
        if isinstance(number, int | float | str):
            plan.constants[name] = number
        elif name in extent_parameters(self.notes) | dot_parameters(self.notes):
            plan.constants[name] = (_OF_PRODUCT if self.use.products else _EXTENT)[other]
            self.assumptions.append(f"Nothing tells {name}, which is taken to be {plan.constants[name]}.")
        elif name in self.use.tested:
            plan.constants[name] = other
        elif name in self.use.counted:
            plan.constants[name] = _SMALL[other]
            self.assumptions.append(f"Nothing tells {name}, which is taken to be {plan.constants[name]}.")
        else:
            raise NotPlanned(f"Nothing tells {name}, which has to be known when the kernel is compiled.")

    def _dtype(self, name: str, array: Array | None, look: _Look) -> str:
        if array is not None and array.dtype:
            return array.dtype
        if name in self.use.indices:
            return _INDEX
        self.assumed.append(name)
        return look.dtype

    def _by_use(self, name: str, look: _Look) -> int | float:
        """A number for a scalar that no launch gives: by what it multiplies or bounds."""
        rows = look.sizes.shape(2)
        if name in self.use.inner and name not in self.use.sizes:
            return 1
        if name in self.use.outer or name in self.use.sizes:
            return rows[1]
        return 0.5

    def _axes(self) -> int:
        """How many axes of the grid the kernel asks for."""
        return 1 + max((int(_axis(one)) for one in _program_ids(self.kernel.node)), default=0)

    def _grid(self, run: HostRun, launch: TritonLaunch, values: Mapping[str, Host]) -> Grid | None:
        """The grid of a launch, None where it is not known."""
        meta = Dictionary(dict(values))
        slice_ = launch.node.func.slice if isinstance(launch.node.func, ast.Subscript) else None
        written = run.value(slice_) if slice_ is not None else None
        found: Host = written
        if isinstance(written, ast.Lambda):
            found = _applied(written, meta, run)
        elif isinstance(written, ast.FunctionDef):
            parameter = next(iter(written.args.args), None)
            found = run.result(launch.module, written, {parameter.arg: meta} if parameter is not None else {})
        sizes = found if isinstance(found, tuple) else (found,)
        numbers = [one for one in sizes if type(one) is int and 0 < one <= _MOST_GRID]
        if not numbers or len(numbers) < len(sizes) or len(numbers) > 3:
            return None
        x, y, z = (*numbers, 1, 1)[:3]
        return x, y, z


def _varies(scalars: Sequence[tuple[str, int | float | bool]]) -> Varies:
    """Whether rows begin anywhere: Triton moves several elements at once where what steps is a multiple."""
    whole = [value for _, value in scalars if type(value) is int and value > 1]
    return "rows" if any(value % _MULTIPLE for value in whole) else ""


class _Missing:
    pass


_MISSING = _Missing()


@dataclass
class _Plan:
    pointers: list[tuple[str, str, int]] = field(default_factory=list)
    scalars: list[tuple[str, int | float | bool]] = field(default_factory=list)
    constants: dict[str, Constant] = field(default_factory=dict)
    types: list[tuple[str, str]] = field(default_factory=list)


def _applied(function: ast.Lambda, meta: Dictionary, run: HostRun) -> Host:
    """The value of a lambda for the dictionary of all arguments."""
    names = [one.arg for one in function.args.args]
    before = dict(run.env)
    run.env.update(dict.fromkeys(names[:1], meta))
    try:
        return run.value(function.body)
    finally:
        run.env.clear()
        run.env.update(before)


def _middle(sizes: frozenset[int]) -> int:
    """One of the values that a configuration may have."""
    ordered = sorted(sizes)
    return ordered[(len(ordered) - 1) // 2]


def _shown(value: Host) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _program_ids(node: ast.AST) -> list[ast.Call]:
    return [
        one
        for one in ast.walk(node)
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr == "program_id"
    ]


def _axis(call: ast.Call) -> int:
    given = (
        call.args[0] if call.args else next((one.value for one in call.keywords if one.arg == "axis"), None)
    )
    return given.value if isinstance(given, ast.Constant) and isinstance(given.value, int) else 0
