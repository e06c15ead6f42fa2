"""Kernels in every form in which programs make them, and `cuda.jit` that makes none."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import records, survey_text, value
from units import unit_of

from advisor.evidence.source.analysis import analyse

BODY = "def {}(a):\n    cuda.atomic.add(a, 0, 1)\n"
K = BODY.format("k")
TOOLS = """
import functools
def compiled(f):
    return cuda.jit(f)
def signed(f, signature=None):
    return cuda.jit(signature, fastmath=True)(f)
def options(**kw):
    def decorator(f):
        return cuda.jit(**kw)(f)
    return decorator
def by_signature(signature):
    return cuda.jit(signature, fastmath=True)
def twice_removed(f):
    return compiled(f)
short = lambda f: cuda.jit(f)
fast = cuda.jit(fastmath=True)
partial = functools.partial(cuda.jit, fastmath=True)
chosen = cuda.jit if cuda.is_available() else fake
class Compiled:
    def __init__(self, f):
        self.f = cuda.jit(f)
    def __getitem__(self, configuration):
        return self.f[configuration]
"""
CALLS = (
    "cuda.jit(k)", "cuda.jit(func_or_sig=k)", "cuda.jit()(k)", "compiled(k)", "compiled(f=k)", "signed(k)",
    "signed(signature=None, f=k)", "options(fastmath=True)(k)", "by_signature('void(int32[:])')(k)",
    "twice_removed(k)", "short(k)", "fast(k)", "partial(k)", "chosen(k)", "Compiled(k)",
    "functools.partial(cuda.jit, fastmath=True)(k)", "(lambda f: cuda.jit(f))(k)",
)  # fmt: skip


def judged(folder: Path, text: str, **files: str) -> list[str]:
    """The functions in which an atomic of a kernel was found, in order of lines."""
    found = survey_text(folder, program=text, **files).records
    atomics = sorted((one for one in found if one.entity == "atomic"), key=lambda one: one.span.line)
    return [str(one.owner).partition("::")[2].partition("@")[0] for one in atomics]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kept", ["m = {}\nm[1, 32](a)\n", "{}[1, 32](a)\n", "ks = [{}]\nks[0][1, 32](a)\n"])
def test_a_call_that_compiles_makes_a_kernel_with_its_launches(tmp_path: Path, call: str, kept: str) -> None:
    text = TOOLS + K + kept.format(call)
    assert judged(tmp_path, text) == ["k"]
    (launch,) = records(tmp_path, "launch", text)
    assert launch.owner is not None and "::k@" in launch.owner


@pytest.mark.parametrize(
    "decorator",
    ["compiled", "options(fastmath=True)", "by_signature('void(int32[:])')", "short", "fast", "partial",
     "chosen", "Compiled", "twice_removed", "signed"],
)  # fmt: skip
@pytest.mark.parametrize("star", [False, True])
def test_what_compiles_is_a_decorator_also_of_another_module(
    tmp_path: Path, decorator: str, star: bool
) -> None:
    imports = "from tools import *\n" if star else f"from tools import {decorator.partition('(')[0]}\n"
    assert judged(tmp_path, f"{imports}@{decorator}\n{K}", tools=TOOLS) == ["k"]


def test_options_and_signatures_reach_the_kernel_through_a_wrapper(tmp_path: Path) -> None:
    text = TOOLS + K + "m = signed(k, 'void(int32[:])')\n"
    (kernel,) = records(tmp_path, "kernel", text)
    assert value(kernel, "fastmath_enabled") is True
    unit = unit_of(tmp_path, "from numba import cuda\n" + text, kernel="k")
    assert [one.types for one in unit.candidates] == [("int32[:]",)]


IN_PLACES = {
    "a method": (
        "class C:\n    def __init__(self):\n        self.m = cuda.jit(self.k)\n"
        "    @staticmethod\n    def k(a):\n        cuda.atomic.add(a, 0, 1)\n"
        "    def run(self, a):\n        self.m[1, 32](a)\n", "C.k",
    ),
    "a method of the class": (
        "class C:\n    def k(a):\n        cuda.atomic.add(a, 0, 1)\nm = cuda.jit(C.k)\nm[1, 32](a)\n", "C.k",
    ),
    "a method that compiles": (
        "class C:\n    def __init__(self):\n        self.m = self.make(k)\n    def make(self, f):\n"
        "        return cuda.jit(f)\n    def run(self, a):\n        self.m[1, 32](a)\n" + K, "k",
    ),
    "a function": (
        "def run(a):\n    jit = cuda.jit(fastmath=True)\n    def k(a):\n        cuda.atomic.add(a, 0, 1)\n"
        "    m = jit(k)\n    m[1, 32](a)\n", "run.k",
    ),
    "a dictionary": (K + "ks = {'one': cuda.jit(k), 'two': None}\nks['one'][1, 32](a)\n", "k"),
    "a dictionary filled later": (K + "ks = {}\nks['one'] = cuda.jit(k)\nks['one'][1, 32](a)\n", "k"),
    "another name": (K + "body = k\nm = cuda.jit(body)\nm[1, 32](a)\n", "k"),
    "the function of a dispatcher": (
        "from numba import njit\n@njit\n" + K + "m = cuda.jit(k.py_func)\nm[1, 32](a)\n", "k",
    ),
    "its own name": (K + "k = cuda.jit(k)\nk[1, 32](a)\n", "k"),
    "configure": (K + "m = cuda.jit(k)\nm.configure(1, 32)(a)\n", "k"),
    "a configured name": (K + "m = cuda.jit(k)\nn = m.configure(1, 32)\nn(a)\n", "k"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "name"), IN_PLACES.values(), ids=IN_PLACES)
def test_kernels_are_made_and_launched_in_all_places(tmp_path: Path, text: str, name: str) -> None:
    assert judged(tmp_path, text) == [name]
    (launch,) = records(tmp_path, "launch", text)
    assert (value(launch, "block_threads"), value(launch, "blocks")) == (32, 1)
    assert launch.owner is not None and f"::{name}@" in launch.owner
    assert survey_text(tmp_path, program=text).unrecognised == []


NO_KERNELS = {
    "another library's jit": "import jax\n" + K + "m = jax.jit(k)\n",
    "a jit of one's own": "def jit(f):\n    return f\n@jit\n" + K,
    "the CPU's": "from numba import njit, jit\n@njit\n" + K + "@jit\n" + BODY.format("n"),
    "a string": "TEXT = 'm = cuda.jit(k)'\n" + K,
    "a comment": "# m = cuda.jit(k)\n" + K,
    "a parameter of the same name": K + "def make(k):\n    return k\n",
    "a wrapper of no function": TOOLS + K + "m = fake(k)\nn = sorted(m, key=k)\n",
    "cuda of another library": "from torch import cuda\n" + K + "cuda.synchronize()\n",
}


@pytest.mark.parametrize("text", NO_KERNELS.values(), ids=NO_KERNELS)
def test_what_is_no_kernel_is_not_judged(tmp_path: Path, text: str) -> None:
    assert judged(tmp_path, text) == []


def test_a_parameter_hides_the_function_of_its_name(tmp_path: Path) -> None:
    text = K + BODY.format("other") + "def make(k):\n    return cuda.jit(k)\nm = make(other)\n"
    assert judged(tmp_path, text) == ["other"]


def test_only_the_parameter_that_is_compiled_makes_a_kernel(tmp_path: Path) -> None:
    make = "def make(setup, f):\n    setup()\n    return cuda.jit(f)\n"
    text = K + BODY.format("other") + make + "make(other, k)\n"
    assert judged(tmp_path, text) == ["k"]


def test_the_function_of_another_module_is_compiled_there(tmp_path: Path) -> None:
    found = survey_text(
        tmp_path, bodies=K, program="from bodies import k\nm = cuda.jit(k)\nm[1, 32](a)\n"
    )  # fmt: skip
    (kernel,) = [one for one in found.records if one.entity == "kernel"]
    (launch,) = [one for one in found.records if one.entity == "launch"]
    assert (kernel.path, kernel.span.line, launch.owner) == ("bodies.py", 4, kernel.key)
    assert found.texts.keys() == {"bodies.py", "program.py"}
    assert found.unrecognised == []


STARS = {
    "numba.cuda itself": ("from numba.cuda import *\n@jit\ndef k(a):\n    atomic.add(a, 0, 1)\n", ""),
    "a module's cuda": ("from common import *\n@cuda.jit\n" + K, "from numba import cuda\n"),
    "a module's jit": (
        "from common import *\n@gpu\n" + K, "from numba import cuda\nfrom numba.cuda import jit as gpu\n",
    ),
    "a module that is not seen": ("from elsewhere import *\n@cuda.jit\n" + K, ""),
}  # fmt: skip


@pytest.mark.parametrize(("text", "common"), STARS.values(), ids=STARS)
def test_star_imports_bring_in_what_compiles(tmp_path: Path, text: str, common: str) -> None:
    (tmp_path / "common.py").write_text(common)
    (tmp_path / "again.py").write_text("from common import *\n")
    for written in (text, text.replace("from common", "from again")):
        (tmp_path / "program.py").write_text(written)
        found = analyse([tmp_path / "program.py"], tmp_path)
        entities = [one.entity for one in found.records]
        assert (entities.count("kernel"), entities.count("atomic")) == (1, 1)
        assert found.unrecognised == []


@pytest.mark.parametrize(
    "device",
    ["@njit\n", "@njit(fastmath=True)\n", "@jit(nopython=True)\n", "@numba.njit\n", "@register_jitable\n"],
)
def test_functions_for_the_cpu_are_device_functions_of_the_kernels_that_call_them(
    tmp_path: Path, device: str
) -> None:
    text = (
        "import numba\nfrom numba import jit, njit\nfrom numba.extending import register_jitable\n"
        f"{device}def add(a, i):\n    cuda.atomic.add(a, i, 1)\n"
        "@cuda.jit\ndef k(a):\n    add(a, 0)\n"
    )
    (atomic,) = records(tmp_path, "atomic", text)
    assert (atomic.span.line, str(atomic.owner).partition("::")[2]) == (9, "k@11")


def test_a_function_for_the_cpu_that_no_kernel_calls_is_not_judged(tmp_path: Path) -> None:
    text = "from numba import njit\n@njit\n" + K + "@cuda.jit\ndef m(a):\n    a[0] = 1\n"
    assert judged(tmp_path, text) == []


UNRECOGNISED = {
    "what a call gives": ("m = cuda.jit(getattr(x, 'k'))\n", (4,)),
    "lambdas": ("m = cuda.jit(lambda a: None)\nn = cuda.jit(lambda a: None)\n", (4, 5)),
    "a loop": (K + "for f in functions():\n    cuda.jit(f)\n", (7,)),
    "a wrapper that nobody uses": (textwrap.dedent("def compiled(f):\n    return cuda.jit(f)\n"), (5,)),
    "a wrapper of something unknown": ("def compiled(f):\n    return cuda.jit(f)\nm = compiled(x.y)\n", (5,)),
    "options that nobody uses": ("fast = cuda.jit(fastmath=True)\n", (4,)),
    "handed on": ("apply(cuda.jit, f)\n", (4,)),
}


@pytest.mark.parametrize(("text", "lines"), UNRECOGNISED.values(), ids=UNRECOGNISED)
def test_uses_of_jit_without_a_kernel_are_told_of_by_line(
    tmp_path: Path, text: str, lines: tuple[int, ...]
) -> None:
    found = survey_text(tmp_path, program=text)
    assert [(one.path, one.uses) for one in found.unrecognised] == [("program.py", lines)]


@pytest.mark.parametrize(
    "text",
    ["# cuda.jit\n", "'cuda.jit'\n", "from numba import njit\n@njit\n" + K, "import jax\njax.jit(f)\n",
     "x.jit\n", "@cuda.jit(device=True)\n" + K,
     "m = cuda.jit(device=True)(x.y)\nn = cuda.jit(x.y, device=True)\n"],
)  # fmt: skip
def test_where_nothing_is_compiled_or_all_is_known_nothing_is_told(tmp_path: Path, text: str) -> None:
    assert survey_text(tmp_path, program=text).unrecognised == []


def test_a_wrapper_that_another_file_uses_is_recognised(tmp_path: Path) -> None:
    files = {"tools": "def compiled(f):\n    return cuda.jit(f)\n"}
    program = "from tools import compiled\n@compiled\n" + K
    assert survey_text(tmp_path, program=program, **files).unrecognised == []


def test_launches_of_what_is_imported_from_elsewhere_are_told_of(tmp_path: Path) -> None:
    text = "from elsewhere import k\na = cuda.to_device(b)\nk[1, 32](a)\n"
    (found,) = survey_text(tmp_path, program=text).unrecognised
    assert (found.uses, found.launches) == ((), (6,))
    assert found.in_words() == "1 launch is of kernels whose source was not found: line 6."


UNSEEN = {
    "a factory": "from elsewhere import make\nk = make(3)\nk[1, 32](a)\n",
    "an attribute": (
        "import elsewhere\nclass C:\n    def __init__(self):\n        self.k = elsewhere.make()\n"
        "    def run(self, a):\n        self.k[1, 32](a)\n"
    ),
    "getattr": "import elsewhere\ngetattr(elsewhere, 'k')[1, 32](a)\n",
    "configure": "from elsewhere import k\nk.configure(1, 32)(a)\n",
}  # fmt: skip


@pytest.mark.parametrize("text", UNSEEN.values(), ids=UNSEEN)
def test_launches_of_what_other_modules_make_are_told_of(tmp_path: Path, text: str) -> None:
    (found,) = survey_text(tmp_path, program=f"{text}cuda.synchronize()\n").unrecognised
    (line,) = (number for number, one in enumerate(text.splitlines(), 4) if "(a)" in one)
    assert found.launches == (line,)


@pytest.mark.parametrize(
    "text",
    ["def run(k, a):\n    k[1, 32](a)\n", "k = choose()\nk[1, 32](a)\n", "import numpy as k\nk[1, 32](a)\n",
     "k = k\nk[1, 32](a)\n"],
)  # fmt: skip
def test_launches_of_what_is_given_or_of_a_library_are_not_told_of(tmp_path: Path, text: str) -> None:
    assert survey_text(tmp_path, program=f"{text}cuda.synchronize()\n").unrecognised == []


def test_many_lines_are_cut_short(tmp_path: Path) -> None:
    (found,) = survey_text(tmp_path, program="cuda.jit(x.y)\n" * 12).unrecognised
    assert found.in_words() == (
        "12 uses of cuda.jit were not recognised as kernels: "
        "lines 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 and 2 more."
    )
