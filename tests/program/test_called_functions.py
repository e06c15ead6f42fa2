"""Which functions of the workspace a call may run."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from advisor.model.text.source_text import SourceText
from advisor.program.kernels.called_functions import CalledFunctions
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import parse_module

OTHER = "def twice(x):\n    return x + x\n\ndef half(x):\n    return x / 2\n"
UNKNOWN = "from numba import cuda\nf = missing\n\n"
HEAD = "from numba import cuda\n\ndef first(x):\n    return x\n\ndef second(x):\n    return -x\n\n"


def called(tmp_path: Path, text: str) -> list[str] | None:
    """The names of the functions behind the text's last call of `f`, `other.f` or the like."""
    (tmp_path / "other.py").write_text(OTHER)
    (tmp_path / "between.py").write_text("from other import *\n")
    (tmp_path / "around.py").write_text("from around import *\nfrom missing import *\n")
    module = parse_module(SourceText("own.py", text), str(tmp_path / "own.py"))
    call = [one for one in module.calls if ast.unparse(one).endswith("(1)")][-1]
    function = module.function_around(call)
    found = CalledFunctions(Workspace(tmp_path)).of(call.func, module, function)
    return None if found is None else sorted(one.name for _, one in found)


KNOWN = {
    "the function above": (f"{HEAD}first(1)\n", ["first"]),
    "the later one of two": (f"{HEAD}f = first\ndef f(x):\n    return x\nf(1)\n", ["f"]),
    "one that a later definition replaces": (f"{HEAD}def g():\n    first(1)\nfirst = None\n", None),
    "one that is defined below its call": ("def g():\n    f(1)\ndef f(x):\n    return x\n", ["f"]),
    "a name that is given again behind the call": (f"{HEAD}first(1)\nfirst = None\n", ["first"]),
    "one defined below before anything is called": (
        f"{UNKNOWN}def g():\n    f(1)\n@cuda.jit(device=True)\ndef f(x):\n    return x\n",
        ["f"],
    ),
    "a call that may run before the definition": (
        f"{UNKNOWN}def g():\n    f(1)\ng()\ndef f(x):\n    return x\n",
        None,
    ),
    "a decorator that may call before the definition": (
        f"{UNKNOWN}def g():\n    f(1)\n@cuda.jit('f8(f8)')\ndef h(x):\n    g()\ndef f(x):\n    return x\n",
        None,
    ),
    "a default that calls before the definition": (
        f"{UNKNOWN}def g():\n    f(1)\ndef h(x=g()):\n    return x\ndef f(x):\n    return x\n",
        None,
    ),
    "one defined below, and another further down": (
        f"{UNKNOWN}def g():\n    f(1)\ndef f(x):\n    return x\nf = other\n",
        None,
    ),
    "a star behind it that binds other names, through another star": (
        "from other import twice as f\nfrom between import *\nf(1)\n",
        ["twice"],
    ),
    "a star behind it that may bind it": (
        "from other import twice as f\nfrom around import *\nf(1)\n",
        None,
    ),
    "one of two": (f"{HEAD}if flip():\n    def first(x):\n        return 1\nfirst(1)\n", ["first", "first"]),
    "a compiled one": (
        "from numba import cuda\n@cuda.jit(device=True)\ndef f(x):\n    return x\nf(1)\n",
        ["f"],
    ),
    "compiled by a call": (f"{HEAD}f = cuda.jit(first)\nf(1)\n", ["first"]),
    "one with another decorator": ("@wraps\ndef f(x):\n    return x\nf(1)\n", None),
    "one inside of the function": ("def g():\n    def f(x):\n        return x\n    f(1)\n", ["f"]),
    "a parameter": (f"{HEAD}def g(first):\n    first(1)\n", None),
    "a local value": (f"{HEAD}def g(x):\n    first = x\n    first(1)\n", None),
    "one that a function binds": (f"{HEAD}def g():\n    global first\n    first = None\nfirst(1)\n", None),
    "Python's own": ("abs(1)\n", None),
    "Python's own or another": ("if flip():\n    def abs(x):\n        return x\nabs(1)\n", None),
    "nothing": ("missing(1)\n", None),
    "an imported one": ("from other import twice\ntwice(1)\n", ["twice"]),
    "one under another name": ("from other import twice as f\nf(1)\n", ["twice"]),
    "of a star": ("from between import *\nhalf(1)\n", ["half"]),
    "a member of a module": ("import other\nother.twice(1)\n", ["twice"]),
    "one that the module replaces": ("import other\nother.twice = abs\nother.twice(1)\n", None),
    "a member of what is no module": (f"{HEAD}other = first\nother.twice(1)\n", None),
    "a name of a module that is not found": ("from missing import f\nf(1)\n", None),
    "a value of a lambda": (f"{HEAD}g = lambda first: first(1)\n", None),
}


@pytest.mark.parametrize(("text", "names"), KNOWN.values(), ids=list(KNOWN))
def test_the_functions_of_a_call(tmp_path: Path, text: str, names: list[str] | None) -> None:
    assert called(tmp_path, text) == names


def test_modules_that_import_a_name_from_each_other_end(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("from two import f\n")
    (tmp_path / "two.py").write_text("from one import f\n")
    assert called(tmp_path, "from one import f\nf(1)\n") is None
