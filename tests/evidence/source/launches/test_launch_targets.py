"""Which kernel a launch means: names are looked up through the scopes around it, as Python does."""

from __future__ import annotations

import textwrap

import pytest
from surveying import survey_text

K = "@cuda.jit\ndef {}(a):\n    a[cuda.grid(1)] = {}\n"


def kernel(name, number, indent=0):
    return textwrap.indent(K.format(name, number), "    " * indent)


def targets(folder, text="", **files):
    """The qualified name of the kernel of each launch of the program, None where it is not known."""
    found = survey_text(folder, **files, program=textwrap.dedent(text)).records
    launches = sorted((one for one in found if one.entity == "launch"), key=lambda one: one.span.line)
    known = {one.key for one in found if one.entity == "kernel"}
    assert all(one.owner is None or one.owner in known for one in launches)
    return [one.owner and one.owner.partition("::")[2] for one in launches if one.path == "program.py"]


def qualified(owners):
    return [owner and owner.partition("@")[0] for owner in owners]


def test_a_kernel_in_a_function_is_no_other_function_s(tmp_path):
    text = (
        "def first(a):\n" + kernel("k", 1, 1) + "    k[1, 32](a)\n"
        "def second(a):\n" + kernel("k", 2, 1) + "    k[1, 64](a)\n"
    )  # fmt: skip
    assert qualified(targets(tmp_path, text)) == ["first.k", "second.k"]


def test_a_nested_kernel_is_not_the_module_s_of_the_same_name(tmp_path):
    text = "def make():\n" + kernel("k", 1, 1) + "    return k\n" + kernel("k", 2) + "k[1, 32](a)\n"
    assert qualified(targets(tmp_path, text)) == ["k"]


def test_an_inner_name_hides_the_module_s(tmp_path):
    text = (
        kernel("k", 0) + "def run(a):\n" + kernel("k", 1, 1) + "    k[1, 32](a)\n"
        "def other(a):\n    k[1, 64](a)\n"
    )  # fmt: skip
    assert qualified(targets(tmp_path, text)) == ["run.k", "k"]


def test_a_function_sees_the_names_of_those_around_it_but_not_of_their_class(tmp_path):
    text = (
        "class Solver:\n    @cuda.jit\n    def k(a):\n        a[cuda.grid(1)] = 1\n"
        "    def run(self, a):\n        k[1, 32](a)\n"
        "def outer(a):\n" + kernel("k", 2, 1) + "    def inner():\n        k[1, 64](a)\n    inner()\n"
    )  # fmt: skip
    assert qualified(targets(tmp_path, text)) == [None, "outer.k"]


HIDDEN = {
    "a parameter": "def run(k, a):\n    k[1, 32](a)\n",
    "a loop": "def run(a):\n    for k in all_kernels():\n        k[1, 32](a)\n",
    "with": "def run(a):\n    with chosen() as k:\n        k[1, 32](a)\n",
    "a lambda": "run = lambda k, a: k[1, 32](a)\n",
    "an unknown call": "def run(a):\n    k = choose()\n    k[1, 32](a)\n",
    "an import": "def run(a):\n    from elsewhere import k\n    k[1, 32](a)\n",
    "an import at the top": "from elsewhere import k\ndef run(a):\n    k[1, 32](a)\n",
    "a circle": "def run(a):\n    while True:\n        m = k\n        k = m\n        k[1, 32](a)\n",
}


@pytest.mark.parametrize("host", HIDDEN.values(), ids=HIDDEN)
def test_a_name_that_stands_for_something_else_is_not_the_kernel(tmp_path, host):
    assert qualified(targets(tmp_path, kernel("k", 0) + host)) == [None]


FOLLOWED = {
    "another name": ("def run(a):\n    m = k\n    m[1, 32](a)\n", "k"),
    "global": ("def run(a):\n    global k\n    k[1, 32](a)\n", "k"),
    "a tuple": ("def run(a):\n    m, n = k, other\n    m[1, 32](a)\n", "k"),
    "either way": ("def run(a, f):\n    m = k if f else k\n    m[1, 32](a)\n", "k"),
    "a name of another": ("m = k\ndef run(a):\n    m[1, 32](a)\n", "k"),
    "a wrapper": ("m = timed(k)\ndef run(a):\n    m[1, 32](a)\n", "k"),
    "one's own wrapper": (
        "def timed(f):\n    return Timed(f)\nm = timed(k)\ndef run(a):\n    m[1, 32](a)\n", "k",
    ),
    "what cannot be launched": (
        "def run(a):\n    m = None\n    if a:\n        m = k\n    m[1, 32](a)\n", "k",
    ),
    "a factory": (
        "def make(n):\n    @cuda.jit\n    def k(a):\n        a[0] = n\n    return k\n"
        "def run(a):\n    k = make(3)\n    k[1, 32](a)\n", "make.k",
    ),
    "a factory's other name": (
        "def make(n):\n    def inner(a):\n        a[0] = n\n    return cuda.jit(inner)\n"
        "m = make(3)\ndef run(a):\n    m[1, 32](a)\n", "make.inner",
    ),
    "a factory of two": (
        "def make(n):\n    @cuda.jit\n    def p(a):\n        a[0] = n\n    @cuda.jit\n    def q(a):\n"
        "        a[1] = n\n    return p, q\ndef run(a):\n    k, m = make(3)\n    m[1, 32](a)\n", "make.q",
    ),
    "an attribute": (
        "class S:\n    def __init__(self):\n        self.m = k\n"
        "    def run(self, a):\n        self.m[1, 32](a)\n", "k",
    ),
    "a static kernel": (
        "class S:\n    @staticmethod\n    @cuda.jit\n    def k(a):\n        a[0] = 1\n"
        "    def run(self, a):\n        self.k[1, 32](a)\n", "S.k",
    ),
    "a class's kernel": (
        "class S:\n    @staticmethod\n    @cuda.jit\n    def k(a):\n        a[0] = 1\n"
        "def run(a):\n    S.k[1, 32](a)\n", "S.k",
    ),
    "a configured kernel": ("def run(a):\n    m = k[1, 32]\n    m(a)\n", "k"),
}  # fmt: skip


@pytest.mark.parametrize(("host", "meant"), FOLLOWED.values(), ids=FOLLOWED)
def test_names_are_followed_to_their_kernel(tmp_path, host, meant):
    assert qualified(targets(tmp_path, kernel("k", 0) + host)) == [meant]


def test_the_last_definition_above_a_statement_of_the_module_counts(tmp_path):
    text = kernel("k", 1) + "k[1, 32](a)\n" + kernel("k", 2) + "k[1, 64](a)\ndef run(a):\n    k[1, 96](a)\n"
    first, second, third = targets(tmp_path, text)
    # The text begins on line 4; a kernel has three lines, and its `def` is the second.
    assert (first, second, third) == ("k@5", "k@9", "k@9")


def test_a_name_bound_anew_in_a_function_means_the_last_above(tmp_path):
    text = (
        kernel("p", 1) + kernel("q", 2)
        + "def run(a):\n    k = p\n    k[1, 32](a)\n    k = q\n    k[1, 64](a)\n"
    )  # fmt: skip
    assert qualified(targets(tmp_path, text)) == ["p", "q"]


def test_two_kernels_of_two_branches_are_neither(tmp_path):
    text = (
        kernel("p", 1) + kernel("q", 2)
        + "def run(a, f):\n    if f:\n        k = p\n        k[1, 32](a)\n    else:\n        k = q\n"
        + "        k[1, 64](a)\n    k[1, 96](a)\n"
    )  # fmt: skip
    assert qualified(targets(tmp_path, text)) == ["p", "q", None]


def test_a_definition_that_one_branch_lacks_is_still_the_kernel(tmp_path):
    text = (
        "if cuda.is_available():\n" + kernel("k", 1, 1) + "else:\n    def k(a):\n        return None\n"
        "def run(a):\n    k[1, 32](a)\n"
    )  # fmt: skip
    assert qualified(targets(tmp_path, text)) == ["k"]


def test_kernels_of_other_modules(tmp_path):
    kernels = kernel("k", 1) + "def make():\n" + kernel("k", 2, 1) + "    return k\n"
    text = (
        "import kernels\nfrom kernels import k, make\n"
        "def run(a):\n    k[1, 32](a)\n    kernels.k[1, 64](a)\n    m = make()\n    m[1, 96](a)\n"
        "def local(a):\n    from kernels import k as m\n    m[1, 128](a)\n"
    )
    assert qualified(targets(tmp_path, text, kernels=kernels)) == ["k", "k", "make.k", "k"]


def test_a_module_that_is_not_known_has_no_kernel_of_this_one(tmp_path):
    text = "import elsewhere\n" + kernel("k", 1) + "def run(a):\n    elsewhere.k[1, 32](a)\n"
    assert qualified(targets(tmp_path, text)) == [None]


def test_long_chains_of_names_end(tmp_path):
    chain = "".join(f"    k{n + 1} = k{n}\n    k{n} = k{n + 1}\n" for n in range(300))
    text = kernel("k0", 1) + "def run(a):\n" + chain + "    k300[1, 32](a)\n"
    assert qualified(targets(tmp_path, text)) == [None]
