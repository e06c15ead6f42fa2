"""Where a text of CUDA C++ stands, and what it says of its kernels."""

from __future__ import annotations

import pytest

from advisor.evidence.simulated.cupy import source_texts
from advisor.evidence.simulated.cupy.source_texts import text_place
from advisor.program.kernels.cuda_texts import kernel_in_text

CODE = """
extern "C" __global__ void
__launch_bounds__(256) add(const float* x, float* y /* out, all of it */,
                           int n) { y[0] = x[n]; }
// __global__ void fake(int no) {}
template <typename T, int N> __global__ void scale(Pair<T, int>* rows, T by, const T (&taps)[N]) {}
__global__ void nothing(void) {}
"""


@pytest.fixture(autouse=True)
def no_other_modules(monkeypatch):
    """This one is a module of the program that holds the texts too."""
    monkeypatch.setattr(source_texts, "_has", lambda *_: False)


@pytest.mark.parametrize(
    ("name", "line", "parameters"),
    [
        ("add", 2, ("x", "y", "n")),
        ("scale<float, 3>", 6, ("rows", "by", "taps")),
        ("nothing", 7, ()),
    ],
)
def test_kernels_by_their_names(name, line, parameters):
    found = kernel_in_text(CODE, name)
    assert found is not None and found.line == line
    assert found.parameters[:2] == parameters[:2] and len(found.parameters) == len(parameters)


@pytest.mark.parametrize("name", ["fake", "ad", "dd"])
def test_no_kernel_of_that_name(name):
    assert kernel_in_text(CODE, name) is None


def test_a_literal_of_several_lines(tmp_path):
    file = tmp_path / "main.py"
    file.write_text("import cupy\n\nk = cupy.RawKernel(r'''first\nsecond\n  third''', 'k')\n")
    place = text_place("first\nsecond\n  third", str(file))
    assert place is not None and (place.file, place.line) == (str(file), 3)


def test_a_part_of_a_literal(tmp_path):
    file = tmp_path / "main.py"
    file.write_text("CODE = '''\n\nfirst\nsecond\n'''\nk = RawKernel(CODE.strip(), 'k')\n")
    place = text_place("first\nsecond", str(file))
    assert place is not None and place.line == 3


def test_a_file_beside_the_program(tmp_path):
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "one.cu").write_text("first\nsecond\n")
    file = tmp_path / "main.py"
    file.write_text("k = RawKernel(open('kernels/one.cu').read(), 'k')\n")
    place = text_place("first\nsecond\n", str(file))
    assert place is not None and (place.file, place.line) == (str(tmp_path / "kernels" / "one.cu"), 1)


@pytest.mark.parametrize(
    "text",
    [
        "CODE = 'first\\nsecond'\n",  # written in one line of the file
        "CODE = 'first\\n' + 'other'\n",  # put together
        "CODE = (\n",  # no Python
    ],
)
def test_texts_that_do_not_stand_anywhere(tmp_path, text):
    file = tmp_path / "main.py"
    file.write_text(text)
    assert text_place("first\nsecond", str(file)) is None


TWO = "__global__ void first() {}\n__global__ void second() {}\n"
PREFIXED = f"#define N 5\n\n{TWO}"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"CODE = '''{TWO}'''\nCODE = '#define N 5\\n\\n' + CODE\n", 1),
        (f"import x\nCODE = '''\n{TWO}'''\n", 3),
    ],
)
def test_a_literal_behind_lines_that_are_made(tmp_path, text, line):
    file = tmp_path / "main.py"
    file.write_text(text)
    place = text_place(PREFIXED, str(file))
    assert place is not None and (place.line, place.before) == (line, 2)
    assert (place.line_of(2), place.line_of(3), place.line_of(4)) == (None, line, line + 1)


def test_a_file_behind_lines_that_are_made(tmp_path):
    (tmp_path / "one.cu").write_text(TWO)
    (tmp_path / "two.cu").write_text("void helper() {}\n")
    place = text_place(PREFIXED, str(tmp_path / "main.py"))
    assert place is not None and (place.file, place.line, place.before) == (str(tmp_path / "one.cu"), 1, 2)


def test_a_part_within_a_line_is_no_place(tmp_path):
    (tmp_path / "one.cu").write_text("__global__ void first() {}\n")
    assert text_place("extern __global__ void first() {}\n", str(tmp_path / "main.py")) is None
