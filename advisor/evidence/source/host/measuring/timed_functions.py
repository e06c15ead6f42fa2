"""Functions that are timed by a decorator, by a function that is given them, or by `timeit`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from advisor.evidence.source.host.data_flow.placement import Placement
from advisor.evidence.source.host.host_records import host_record
from advisor.evidence.source.host.measuring.clock_spans import Span, clock_spans
from advisor.evidence.source.host.measuring.unwaited_launches import UnwaitedLaunches, is_wait
from advisor.model.records import Record
from advisor.program.launches.launches import Launch
from advisor.program.syntax.module import ModuleSyntax

_TIMEIT = frozenset({"timeit.timeit", "timeit.repeat", "timeit.Timer"})


def timed_function_records(placement: Placement, launches: Sequence[Launch]) -> Iterator[Record]:
    """The places where a function that launches and does not wait is given to what measures its calls."""
    module = placement.module
    functions = UnwaitedLaunches(placement, {one.node: one for one in launches})
    timers = {timer: place for span in clock_spans(module) for timer, place in _timed_by(span, placement)}
    for call in module.calls:
        for number, given in enumerate(call.args):
            if _is_timed(call, number, timers, functions, module):
                launch = functions.of_value(given)
                if launch is not None:
                    yield _record(module, given, launch)
    for function in module.inside(module.tree, ast.FunctionDef):
        for decorator in function.decorator_list:
            named = functions.named(decorator)
            if named is not None and timers.get(named) == 0:
                launch = functions.of(function)
                if launch is not None:
                    yield _record(module, decorator, launch)


def _is_timed(
    call: ast.Call,
    number: int,
    timers: dict[ast.FunctionDef, int],
    functions: UnwaitedLaunches,
    module: ModuleSyntax,
) -> bool:
    named = functions.named(call.func)
    if named is not None:
        return timers.get(named) == number
    return number == 0 and module.dotted(call.func) in _TIMEIT


def _timed_by(span: Span, placement: Placement) -> Iterator[tuple[ast.FunctionDef, int]]:
    """The functions around a span that call a parameter in it and wait for nothing behind, with its place."""
    module = placement.module
    calls = [one for one in span.nodes() if isinstance(one, ast.Call)]
    if span.is_of_the_host() or any(is_wait(one, placement) for one in calls):
        return
    called = {one.func.id for one in calls if isinstance(one.func, ast.Name)}
    for scope in module.scopes(span.end):
        if isinstance(scope, ast.FunctionDef):
            for number, parameter in enumerate(scope.args.args):
                if parameter.arg in called:
                    yield scope, number


def _record(module: ModuleSyntax, place: ast.expr, launch: Launch) -> Record:
    return host_record(
        module,
        "measurement",
        place,
        "measurement",
        library="numba",
        work=launch.name,
        waits=False,
        uploads=False,
        events_measure_too=False,
        compiles=False,
    )
