"""Kernels of functions that launch them: compiled again at each call, or once all the same."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import records, value

_MAKER = """
def scale({parameters}):
    @cuda.jit
    def doubled(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] *= 2

{rest}
"""


def _kernel(
    folder: Path,
    rest: str,
    behind: str = "",
    *,
    parameters: str = "values",
) -> tuple[object, object, object]:
    body = _MAKER.format(
        parameters=parameters,
        rest=textwrap.indent(textwrap.dedent(rest).strip(), "    "),
    )
    (kernel,) = records(folder, "kernel", body + textwrap.dedent(behind))
    return (
        value(kernel, "declared_in_function"),
        value(kernel, "made_by_script"),
        value(kernel, "made_for_loop"),
    )


_LAUNCH = "doubled[8, 128](values)"


@pytest.mark.parametrize(
    "rest",
    [
        pytest.param(_LAUNCH, id="launched"),
        pytest.param("launched = doubled[8, 128]\n" + _LAUNCH, id="configured first"),
        pytest.param("return doubled[8, 128](values)", id="what the launch returns"),
        pytest.param("def step():\n    doubled[8, 128](values)\nstep()", id="in a function called there"),
    ],
)
def test_is_compiled_again(tmp_path: Path, rest: str) -> None:
    assert _kernel(tmp_path, rest) == (True, False, False)


@pytest.mark.parametrize(
    "rest",
    [
        pytest.param(f"{_LAUNCH}\nreturn doubled", id="returned"),
        pytest.param(f"{_LAUNCH}\nreturn doubled, 128", id="returned in a pair"),
        pytest.param(f"{_LAUNCH}\nvalues.kernel = doubled", id="kept in an object"),
        pytest.param(f"{_LAUNCH}\nkept[values.size] = doubled", id="kept under a key"),
        pytest.param(f"{_LAUNCH}\nkept.setdefault(values.size, doubled)", id="handed to what may keep it"),
        pytest.param(
            "def step():\n    doubled[8, 128](values)\nreturn step", id="launched by what is returned"
        ),
        pytest.param("pass", id="not launched there"),
    ],
)
def test_outlives_the_call(tmp_path: Path, rest: str) -> None:
    assert _kernel(tmp_path, rest, "kept = {}")[0] is False


@pytest.mark.parametrize(
    ("behind", "once"),
    [
        pytest.param("scale(cuda.device_array(1024))", True, id="by the script"),
        pytest.param(
            "if __name__ == '__main__':\n    scale(cuda.device_array(1024))", True, id="when it is run"
        ),
        pytest.param(
            "def main():\n    scale(cuda.device_array(1024))\n\nmain()",
            True,
            id="by a function of the script",
        ),
        pytest.param("def main(n):\n    scale(cuda.device_array(n))", True, id="by main, which nobody calls"),
        pytest.param(
            "for n in range(10):\n    scale(cuda.device_array(1024))", False, id="in a loop of the script"
        ),
        pytest.param("all = [scale(cuda.device_array(n)) for n in range(9)]", False, id="for each item"),
        pytest.param("def all(them):\n    scale(them)", False, id="by who knows whom"),
        pytest.param("class All:\n    def run(self):\n        scale(self)", False, id="by a method"),
        pytest.param("", False, id="by nobody seen"),
    ],
)
def test_how_often_the_function_runs(tmp_path: Path, behind: str, once: bool) -> None:
    assert _kernel(tmp_path, _LAUNCH, behind) == (True, once, False)


def test_a_program_s_beginning_takes_nothing(tmp_path: Path) -> None:
    rest = f"values = cuda.device_array(1024)\n{_LAUNCH}"
    assert _kernel(tmp_path, rest, parameters="") == (True, True, False)


def test_launches_of_a_loop_share_what_is_compiled(tmp_path: Path) -> None:
    looped = f"for _ in range(values.size):\n    {_LAUNCH}"
    assert _kernel(tmp_path, looped) == (True, False, True)
    assert _kernel(tmp_path, f"{looped}\n{_LAUNCH}") == (True, False, False)


_FACTORY = """
def kernel_of(width):
    @cuda.jit
    def scaled(a):
        i = cuda.grid(1)
        a[i] *= width
    return scaled

def sized(width):
    @cuda.jit
    def summed(a):
        tile = cuda.shared.array(width, np.float32)
        tile[cuda.threadIdx.x] = a[cuda.grid(1)]
    return summed

values = cuda.device_array(1024)
kept = {{}}
{rest}
"""


@pytest.mark.parametrize(
    ("rest", "anew"),
    [
        ("for n in range(9):\n    kernel_of(n)[8, 128](values)", True),
        ("for n in range(9):\n    k = kernel_of(n)\n    k[8, 128](values)", True),
        ("def run(sizes):\n    for n in sizes:\n        kernel_of(n)[8, 128](values)", True),
        ("kernel_of(2)[8, 128](values)", False),
        ("k = kernel_of(2)\nfor n in range(9):\n    k[8, 128](values)", False),
        (
            "for n in range(9):\n    k = kernel_of(n)\n    for _ in range(99):\n        k[8, 128](values)",
            False,
        ),
        ("for n in range(9):\n    k = kernel_of(n)\n    kept[n] = k\n    k[8, 128](values)", False),
        ("for n in range(9):\n    kept[n] = kernel_of(n)", False),
        ("for n in (2, 4):\n    kernel_of(n)[8, 128](values)", False),
        ("import time\nfor n in range(9):\n    t = time.time()\n    kernel_of(n)[8, 128](values)", False),
    ],
)
def test_a_kernel_for_each_iteration(tmp_path: Path, rest: str, anew: bool) -> None:
    found = records(tmp_path, "kernel", _FACTORY.format(rest=rest))
    assert value(found[0], "made_each_iteration") is anew


def test_sizes_of_arrays_are_constants_of_a_kernel(tmp_path: Path) -> None:
    rest = "for n in range(9):\n    sized(n)[8, 128](values)"
    found = records(tmp_path, "kernel", _FACTORY.format(rest=rest))
    assert value(found[1], "made_each_iteration") is False


@pytest.mark.parametrize(("launched_in", "anew"), [("for n in range(9):", True), ("if True:", False)])
def test_a_kernel_defined_in_a_loop(tmp_path: Path, launched_in: str, anew: bool) -> None:
    body = "    @cuda.jit\n    def scaled(a):\n        a[cuda.grid(1)] *= 2\n    scaled[8, 128](values)\n"
    text = f"values = cuda.device_array(1024)\n{launched_in}\n{body}"
    assert value(records(tmp_path, "kernel", text)[0], "made_each_iteration") is anew
