"""Questions about kernels: which launch is the pattern, and that where a kernel stands decides nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.evidence.simulated.synthesis.asking.known_launches import known_launch
from advisor.evidence.simulated.synthesis.asking.questions import Question
from advisor.evidence.simulated.synthesis.request import KnownLaunch
from advisor.evidence.simulated.synthesis.result import LineCounts, Synthesis
from advisor.model.compilation_unit import ArgumentValue, CompilationUnit, FunctionText, StatedLaunch
from advisor.model.machine_code.kernel_code import KernelCode, ParameterSlot

KERNEL = "def scale(a, n):\n    i = cuda.grid(1)\n    if i < n:\n        a[i] = twice(a[i])\n"
TWICE = "def twice(x):\n    return x + x\n"


def unit(*launches: StatedLaunch, path: str = "k.py", line: int = 10) -> CompilationUnit:
    functions = (
        FunctionText("twice", TWICE, "lib.py", 3),
        FunctionText("scale", KERNEL, path, line, device=False),
    )
    return CompilationUnit(
        f"{path}::scale@{line}",
        path,
        functions,
        aliases={"cuda": "numba.cuda"},
        parameters=("a", "n"),
        launches=launches,
    )


def launch(line: int, **known: object) -> StatedLaunch:
    return replace(StatedLaunch("main.py", line, None, None), **known)


ARGUMENTS = ((ArgumentValue(shape=(1000,)),), (ArgumentValue(number=1000.0),))


class TestTheLaunchThatIsThePattern:
    def test_without_a_launch_nothing_is_known(self):
        assert known_launch(unit()) == KnownLaunch()

    def test_all_that_a_launch_states(self):
        stated = launch(4, block=(256,), grid=(4,), arguments=ARGUMENTS, dynamic_shared=64)
        assert known_launch(unit(stated)) == KnownLaunch(
            (256, 1, 1), (4, 1, 1), {"a": (1000,)}, {"n": 1000.0}, 64, "main.py:4"
        )

    def test_the_block_counts_more_than_arguments(self):
        found = known_launch(unit(launch(4, arguments=ARGUMENTS), launch(8, block=(16, 16))))
        assert (found.block, found.shapes, found.where) == ((16, 16, 1), {}, "main.py:8")

    @pytest.mark.parametrize("block", [None, (None, 4), (0,), (64, 64), (1, 1, 1, 1)])
    def test_a_block_that_is_not_known_or_cannot_be_one(self, block):
        found = known_launch(unit(launch(4, block=block, arguments=ARGUMENTS)))
        assert (found.block, found.where) == (None, "")
        assert found.shapes == {"a": (1000,)}

    def test_other_launches_have_other_blocks(self):
        found = known_launch(unit(launch(4, block=(256,), grid=(4,)), launch(8, block=(1,)), launch(9)))
        assert (found.block, found.other_blocks) == ((256, 1, 1), ((1, 1, 1),))

    def test_sizes_of_the_grid_that_are_known_alone(self):
        partly = launch(4, block=(32, 32), grid=(None, None, 3))
        assert known_launch(unit(partly)).grid == (None, None, 3)
        assert known_launch(unit(partly, launch(8, grid=(4, 4, 3)))).grid == (None, None, 3)
        assert known_launch(unit(partly, launch(8, grid=(4, 4, 2)))).grid is None
        assert known_launch(unit(launch(4, grid=(None,)))).grid == (None, 1, 1)
        assert known_launch(unit(partly, launch(8))).grid is None

    def test_a_launch_of_which_the_block_is_not_known_may_have_any(self):
        assert known_launch(unit(launch(4, block=(256,)), launch(9))).any_block
        assert known_launch(unit(launch(4, block=(None, 4)))).any_block
        assert not known_launch(unit(launch(4, block=(256,)), launch(8, block=(1,)))).any_block
        assert not known_launch(unit(launch(4, possible_blocks=((1,), (1024,))))).any_block

    def test_sizes_are_those_that_all_launches_have(self):
        other = ((ArgumentValue(shape=(1000,)),), (ArgumentValue(number=2000.0),))
        first = launch(4, block=(32,), grid=(4,), arguments=ARGUMENTS)
        found = known_launch(unit(first, launch(8, block=(32,), grid=(4,), arguments=other)))
        assert (found.grid, found.shapes, found.scalars) == ((4, 1, 1), {"a": (1000,)}, {})
        # What a launch leaves open may be anything.
        found = known_launch(unit(first, launch(8, block=(32,))))
        assert (found.grid, found.shapes, found.scalars) == (None, {}, {})

    def test_launches_of_one_block_have_no_others(self):
        assert known_launch(unit(launch(4, block=(256,)), launch(8, block=(256, 1)))).other_blocks == ()

    def test_blocks_that_the_host_code_chooses_from(self):
        chosen = launch(4, possible_blocks=((1,), (1024,), (2048,), (None, 4)))
        found = known_launch(unit(chosen))
        assert (found.block, found.other_blocks) == ((1024, 1, 1), ((1, 1, 1),))

    def test_of_many_blocks_the_smallest_one_between_and_the_largest(self):
        many = [launch(line, block=(32 * line,)) for line in range(1, 8)]
        assert known_launch(unit(*many)).other_blocks == ((64, 1, 1), (160, 1, 1), (224, 1, 1))

    def test_items_of_a_tuple_have_names_of_their_own(self):
        values = (ArgumentValue(".0", (3, 4)), ArgumentValue(".1", number=2.0))
        found = known_launch(unit(launch(4, block=(32,), arguments=(values, ()))))
        assert (found.shapes, found.scalars) == ({"a.0": (3, 4)}, {"a.1": 2.0})

    def test_another_number_of_arguments_tells_nothing_of_them(self):
        found = known_launch(unit(launch(4, block=(32,), arguments=ARGUMENTS[:1])))
        assert (found.block, found.shapes) == ((32, 1, 1), {})


class TestWhatDecidesAnAnswer:
    def test_where_the_kernel_and_its_launch_stand_does_not(self):
        here = Question.about(unit(launch(4, block=(256,))), "code")
        there = Question.about(unit(launch(9, block=(256,)), path="other/k.py", line=700), "code")
        assert here.key == there.key
        assert here.request(CODES) == there.request(CODES)

    @pytest.mark.parametrize("other", [("code", (128,)), ("other code", (256,))])
    def test_its_code_and_its_block_do(self, other):
        code, block = other
        here = Question.about(unit(launch(4, block=(256,))), "code")
        assert Question.about(unit(launch(4, block=block)), code).key != here.key


CODES = (
    KernelCode(
        "k.py::scale@10",
        "",
        "scale",
        (ParameterSlot("a", "array", "<f4", 1, "C"), ParameterSlot("n", "scalar", "<i8")),
        ("float32[::1]", "int64"),
    ),
)


def test_the_request_has_what_the_text_says_of_sizes_at_lines_of_the_unit():
    request = Question.about(unit(), "code").request(CODES)
    assert request.places == (("unit-function-0.py", 1), ("unit-function-1.py", 1))
    (equal,) = [one for one in request.relations.equal if one.thread_axis == 0]
    assert {getattr(size, "name", None) or size.array for size in equal.sizes} == {"a", "n"}


def counts(path: str, line: int) -> LineCounts:
    return LineCounts("access", path, line, "a", "global", "load", {"sectors_per_request": 4.0})


def test_lines_of_an_answer_come_to_the_places_of_their_functions():
    answer = Synthesis("kernel", lines=(counts("unit-function-1.py", 4), counts("unit-function-0.py", 2)))
    placed = Question.about(unit(), "code").placed(answer)
    assert placed.kernel == "k.py::scale@10"
    assert [(one.path, one.line) for one in placed.lines] == [("k.py", 13), ("lib.py", 4)]


@pytest.mark.parametrize(
    ("path", "line"),
    [("unit-function-2.py", 1), ("unit-function-1.py", 0), ("unit-function-1.py", 99), ("/etc/passwd", 1)],
)
def test_lines_that_the_unit_does_not_have_are_left_out(path, line):
    answer = Synthesis("kernel", lines=(counts(path, line),))
    assert Question.about(unit(), "code").placed(answer).lines == ()
