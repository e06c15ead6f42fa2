"""What the names of a launch stand for: what they are given once, where they are seen."""

from __future__ import annotations

import pytest

from advisor.fixes.support.edits.source_module import read_module
from advisor.fixes.support.launches.launch_sites import assigned_once

GIVEN = {
    "in the module": ("n = 4\ndef run():\n    use(n)\n", "4"),
    "in the function": ("n = 4\ndef run():\n    n = 8\n", "8"),
    "with a type": ("n: int = 4\ndef run():\n    use(n)\n", "4"),
    "in a tuple": ("m, n = 4, 8\ndef run():\n    use(n)\n", "8"),
    "with another name": ("m = n = 4\ndef run():\n    use(n)\n", "4"),
    "in the function around it": (
        "n = 4\ndef all_of_it():\n    n = 8\n    def run():\n        use(n)\n",
        "8",
    ),
    "which another function has too": ("n = 4\ndef other():\n    n = 8\ndef run():\n    use(n)\n", "4"),
}
OPEN = {
    "twice": "n = 4\nn = 8\ndef run():\n    use(n)\n",
    "once more in the function": "n = 4\ndef run():\n    n = 8\n    n = 2\n",
    "added to": "n = 4\nn += 1\ndef run():\n    use(n)\n",
    "a parameter": "n = 4\ndef run(n):\n    use(n)\n",
    "a parameter of the function around it": "n = 4\ndef all_of_it(n):\n    def run():\n        use(n)\n",
    "changed by a function": "n = 4\ndef other():\n    global n\n    n = 8\ndef run():\n    use(n)\n",
    "the module's own": "n = 4\ndef run():\n    global n\n    n = 8\n",
    "a type alone": "n: int\ndef run():\n    use(n)\n",
    "a part of an array": "m, n = x.shape\ndef run():\n    use(n)\n",
    "a part of too many": "m, *n = 4, 8, 2\ndef run():\n    use(n)\n",
    "a counter": "for n in range(4):\n    pass\ndef run():\n    use(n)\n",
    "imported": "from sizes import n\ndef run():\n    use(n)\n",
}


def given(text: str) -> str | None:
    """The code that the name `n` of the function `run` is given."""
    module = read_module(text)
    assert module is not None
    (run,) = module.syntax.functions_by_name["run"]
    value = assigned_once(module, run, "n")
    return module.code_of(value) if value is not None else None


@pytest.mark.parametrize("name", GIVEN)
def test_a_name_that_is_given_once(name: str) -> None:
    text, value = GIVEN[name]
    assert given(text) == value


@pytest.mark.parametrize("name", OPEN)
def test_a_name_that_may_be_something_else(name: str) -> None:
    assert given(OPEN[name]) is None
