"""Basic blocks, their order, and the registers that cross between them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ptx_text import body

from advisor.evidence.simulated.simt.ptx.control_flow import ControlFlow, control_flow, reads, results
from advisor.evidence.simulated.simt.ptx.ptx_program import Function
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx


def flow(*lines: str) -> tuple[Function, ControlFlow]:
    function = read_ptx(body(*lines)).functions["k"]
    return function, control_flow(function)


def label_order(*lines: str) -> list[str]:
    """The labels of the function in the order of its blocks."""
    function, found = flow(*lines)
    names = {at: name for name, at in function.labels.items()}
    return [names[block.first] for block in found.blocks if block.first in names]


def test_a_straight_function_is_one_block():
    _, found = flow("mov.u32 %r1, 1;", "ret;")
    assert [(block.first, block.last, block.successors) for block in found.blocks] == [(0, 2, ())]
    assert found.crossing == frozenset()


def test_the_arms_of_a_branch_meet_behind_both():
    _, found = flow(
        "setp.eq.s32 %p1, %r1, 0;", "@%p1 bra $then;", "mov.u32 %r2, 1;", "bra.uni $end;",
        "$then:", "mov.u32 %r2, 2;", "$end:", "mov.u32 %r3, %r2;", "ret;",
    )  # fmt: skip
    assert len(found.blocks) == 4
    assert found.blocks[0].successors in ((1, 2), (2, 1))
    assert {found.blocks[1].successors, found.blocks[2].successors} == {(3,)}
    assert found.crossing == {"%r1", "%r2"}


LOOP = (
    "mov.u32 %r1, 0;",
    "$loop:", "setp.ge.s32 %p1, %r1, %r2;", "@%p1 bra $end;",
    "$body:", "setp.eq.s32 %p2, %r1, 7;", "@%p2 bra $after;",
    "$next:", "add.s32 %r1, %r1, 1;", "bra.uni $loop;",
    "$after:", "mov.u32 %r3, 1;",
    "$end:", "ret;",
)  # fmt: skip


def test_what_leaves_a_loop_comes_behind_its_body():
    assert label_order(*LOOP) == ["$loop", "$body", "$next", "$after", "$end"]


def test_an_exit_written_before_the_body_still_comes_behind_it():
    # As compilers write it: the way out stands first in the text.
    order = label_order(
        "bra.uni $loop;",
        "$out:", "ret;",
        "$loop:", "setp.ge.s32 %p1, %r1, %r2;", "@%p1 bra $out;",
        "$body:", "add.s32 %r1, %r1, 1;", "bra.uni $loop;",
    )  # fmt: skip
    assert order == ["$loop", "$body", "$out"]


def test_inner_loops_come_before_the_rest_of_outer_ones():
    order = label_order(
        "$outer:", "mov.u32 %r2, 0;",
        "$inner:", "add.s32 %r2, %r2, 1;", "setp.lt.s32 %p1, %r2, 4;", "@%p1 bra $inner;",
        "$rest:", "add.s32 %r1, %r1, 1;", "setp.lt.s32 %p2, %r1, 4;", "@%p2 bra $outer;",
        "$end:", "ret;",
    )  # fmt: skip
    assert order == ["$outer", "$inner", "$rest", "$end"]


def test_a_block_ends_at_a_barrier():
    _, found = flow("mov.u32 %r1, 1;", "bar.sync 0;", "mov.u32 %r2, %r1;", "ret;")
    assert [(block.last, block.at_barrier, block.successors) for block in found.blocks] == [
        (2, True, (1,)),
        (4, False, ()),
    ]
    assert found.crossing == {"%r1"}


def test_code_that_nothing_reaches_is_left_out():
    _, found = flow("ret;", "mov.u32 %r1, 1;", "ret;")
    assert len(found.blocks) == 1


def test_a_branch_to_nowhere_is_an_error():
    with pytest.raises(ValueError, match="no label"):
        flow("bra $nowhere;", "ret;")


@pytest.mark.parametrize(
    ("text", "written", "read"),
    [
        ("add.s32 %r1, %r2, %r3;", ["%r1"], ["%r2", "%r3"]),
        ("@%p1 mov.u32 %r1, 4;", ["%r1"], ["%p1"]),
        ("st.global.u32 [%r1+4], %r2;", [], ["%r1", "%r2"]),
        ("ld.global.v2.u32 {%r1, _}, [%r3];", ["%r1"], ["%r3"]),
        ("setp.lt.s32 %p1|%p2, %r1, 0;", ["%p1", "%p2"], ["%r1"]),
        ("atom.global.add.u32 %r1, [%r2], %r3;", ["%r1"], ["%r2", "%r3"]),
        ("red.global.add.u32 [%r2], %r3;", [], ["%r2", "%r3"]),
        ("bar.sync 0;", [], []),
        ("selp.b32 %r1, %r2, %r3, %p1;", ["%r1"], ["%r2", "%r3", "%p1"]),
    ],
)
def test_results_and_reads(text, written, read):
    (item,) = read_ptx(body(text)).functions["k"].instructions
    assert (list(results(item)), list(reads(item))) == (written, read)


def test_a_result_of_some_lanes_only_crosses():
    _, found = flow("@%p1 mov.u32 %r1, 4;", "ret;")
    assert "%r1" in found.crossing


@given(st.lists(st.tuples(st.integers(0, 7), st.booleans()), min_size=1, max_size=8))
def test_every_reachable_block_comes_once_and_lanes_can_always_go_on(jumps):
    lines = []
    for number, (target, conditional) in enumerate(jumps):
        lines.append(f"$b{number}:")
        lines.append("mov.u32 %r1, %r2;")
        lines.append(f"{'@%p1 ' if conditional else ''}bra $b{target % len(jumps)};")
    function, found = flow(*lines, "ret;")
    assert sorted(block.number for block in found.blocks) == list(range(len(found.blocks)))
    assert found.blocks[0].first == 0
    covered = [at for block in found.blocks for at in range(block.first, block.last)]
    assert len(covered) == len(set(covered)) <= len(function.instructions)
    reached = {0} | {target for block in found.blocks for target in block.successors}
    assert reached == set(range(len(found.blocks)))
