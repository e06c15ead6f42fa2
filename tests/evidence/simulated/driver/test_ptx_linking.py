"""Several PTX texts as one: names, files and declarations."""

from __future__ import annotations

import pytest

from advisor.evidence.simulated.driver.ptx_linking import bound_registers, link_ptx
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.model.errors import AdvisorError

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
CALLER = (
    HEAD
    + """
.extern .func (.param .b32 r) helper(.param .b32 a);
.global .align 4 .u32 count;
.visible .entry kernel(.param .u64 p)
{
	.reg .b32 %r<2>;
	.loc 1 7 3
	ld.global.u32 %r1, [count];
	ret;
}
	.file 1 "kernel.py"
"""
)
HELPER = (
    HEAD
    + """
.global .align 4 .u32 count;
.visible .func (.param .b32 r) helper(.param .b32 a)
{
	.reg .b32 %r<2>;
	.loc 1 3 1
	ld.global.u32 %r1, [count];
	ret;
}
	.file 1 "helper.cu"
"""
)


def test_one_text_stays_as_it_is() -> None:
    assert link_ptx([CALLER]) == CALLER


def test_a_declaration_meets_its_definition() -> None:
    program = read_ptx(link_ptx([CALLER, HELPER]))
    assert not program.functions["helper"].external
    assert len(program.functions["helper"].instructions) == 2
    assert program.functions["kernel"].entry


def test_names_of_one_text_stay_apart() -> None:
    program = read_ptx(link_ptx([CALLER, HELPER]))
    assert set(program.variables) == {"count", "count$"}
    assert [str(one) for one in program.functions["kernel"].instructions if "count$" in str(one)] == []
    assert "count$" in str(program.functions["helper"].instructions[0])


def test_lines_keep_their_files() -> None:
    program = read_ptx(link_ptx([CALLER, HELPER]))
    places = {name: one.instructions[0].location for name, one in program.functions.items()}
    assert {name: (at.file, at.line) for name, at in places.items() if at} == {
        "kernel": ("kernel.py", 7),
        "helper": ("helper.cu", 3),
    }


def test_a_name_for_all_that_is_defined_twice_is_told() -> None:
    with pytest.raises(AdvisorError, match="helper is defined twice"):
        link_ptx([HELPER, HELPER])


def test_nothing_to_link_is_told() -> None:
    with pytest.raises(AdvisorError, match="no PTX"):
        link_ptx([])


def test_registers_are_bound_for_kernels_only() -> None:
    text = bound_registers(link_ptx([CALLER, HELPER]), 38)
    assert text.count(".maxnreg 38") == 1
    assert read_ptx(text).functions["kernel"].parameters[0].size == 8
