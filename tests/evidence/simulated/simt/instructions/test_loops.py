"""Nodes on common cycles, and what is found by them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_ptx_reader import body

from advisor.evidence.simulated.simt.ptx.control_flow import control_flow
from advisor.evidence.simulated.simt.ptx.liveness import liveness
from advisor.evidence.simulated.simt.ptx.loops import cycle_numbers
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.ptx.uniformity import Uniformity, _Search, uniformity


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 9))
    nodes = st.integers(0, count - 1)
    return {node: tuple(draw(st.lists(nodes, max_size=3))) for node in range(count)}


def reached(graph: dict[int, tuple[int, ...]], start: int) -> set[int]:
    found: set[int] = set()
    stack = list(graph[start])
    while stack:
        node = stack.pop()
        if node not in found:
            found.add(node)
            stack.extend(graph[node])
    return found


@given(graphs())
def test_two_nodes_have_one_number_where_each_reaches_the_other(graph):
    numbers = cycle_numbers(graph)
    for one in graph:
        for other in graph:
            together = one == other or (other in reached(graph, one) and one in reached(graph, other))
            assert (numbers[one] == numbers[other]) == together


@given(graphs())
def test_what_a_node_leads_to_has_no_higher_number(graph):
    numbers = cycle_numbers(graph)
    assert all(numbers[target] <= numbers[node] for node, targets in graph.items() for target in targets)


def test_a_long_chain_needs_no_deep_recursion():
    chain = {node: (node + 1,) for node in range(50_000)} | {50_000: ()}
    assert len(set(cycle_numbers(chain).values())) == 50_001


STATEMENTS = (
    "mov.u32 %r1, %tid.x;", "mov.u32 %r2, 5;", "add.u32 %r3, %r1, %r2;", "add.u32 %r2, %r3, 1;",
    "setp.lt.u32 %p1, %r1, 9;", "setp.lt.u32 %p2, %r2, %r3;",
)  # fmt: skip
ENDS = ("", "@%p1 bra {};", "@%p2 bra {};", "bra.uni {};", "ret;", "@%p1 ret;", "bar.sync 0;")


@st.composite
def programs(draw):
    count = draw(st.integers(1, 14))
    lines = []
    for number in range(count):
        lines.append(f"$L{number}:")
        lines += draw(st.lists(st.sampled_from(STATEMENTS), max_size=2))
        lines.append(draw(st.sampled_from(ENDS)).format(f"$L{draw(st.integers(0, count - 1))}"))
    return (*lines, "ret;")


def found(lines: tuple[str, ...]) -> Uniformity:
    function = read_ptx(body(*lines)).functions["k"]
    blocks = control_flow(function).blocks
    return uniformity(function, blocks, liveness(function, blocks))


@settings(max_examples=200)
@given(programs())
def test_branches_to_an_end_divide_as_the_search_through_all_blocks_says(lines):
    short = found(lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_Search, "_only_ends", lambda self, number: False)
        assert found(lines) == short


def test_lanes_that_leave_early_spare_nothing():
    # What is behind the branch belongs to the lanes that stayed: %r2 may be held once for them.
    result = found((
        "mov.u32 %r1, %tid.x;", "setp.lt.u32 %p1, %r1, 9;", "@%p1 bra $end;",
        "mov.u32 %r2, 5;", "bra.uni $next;", "$next:", "add.u32 %r3, %r2, %r1;", "$end:", "ret;",
    ))  # fmt: skip
    assert "%r2" in result.uniform and not result.masked and result.divided


def test_a_barrier_behind_lanes_that_left_is_not_reached_together():
    lines = (
        "mov.u32 %r1, %tid.x;",
        "setp.lt.u32 %p1, %r1, 9;",
        "@%p1 bra $end;",
        "bar.sync 0;",
        "$end:",
        "ret;",
    )
    assert not found(lines).ordered
