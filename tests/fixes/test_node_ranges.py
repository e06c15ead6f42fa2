"""The places and parents of LibCST's nodes, against those of its own providers."""

from __future__ import annotations

import re
from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider

from advisor.fixes.support.edits.node_ranges import ranges_and_parents

_TEXTS = {
    "empty": "",
    "no line end": "x = 1",
    "only a comment": "# nothing",
    "line ends of Windows": "def f(a):\r\n\tif a:\r\n\t\treturn a\r\n",
    "decorated": "@cuda.jit(\n    fastmath=True,\n)\nasync def f(a, *, b=1): ...\n",
    "brackets": "x = ( # first\n    (a) +\n    [ b , c ][ 0 ]\n) ; y = 2\n",
    "texts": 's = f"{a!r:>{w}}" "b"\nt = """one\ntwo"""\n',
    "match": "match x:\n    case [1, *_] if y: pass\n    case _:\n        pass\n# end\n",
}


@pytest.mark.parametrize("text", _TEXTS.values(), ids=list(_TEXTS))
def test_are_those_of_the_provider(text: str) -> None:
    _same_places(text)


def test_are_those_of_the_provider_in_the_reference_kernels() -> None:
    files = sorted((Path(__file__).parents[2] / "kernels").glob("*.py"))
    assert len(files) > 5
    for file in files:
        _same_places(file.read_text("utf-8"))


def _same_places(text: str) -> None:
    module = cst.parse_module(text)
    # A last line without an end is written with one at first.
    starts = [0, *(end.end() for end in re.finditer(r"\r\n|\r|\n", text)), len(text) + 1]
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    places, above = wrapper.resolve(PositionProvider), wrapper.resolve(ParentNodeProvider)
    expected = {
        node: (
            starts[place.start.line - 1] + place.start.column,
            starts[place.end.line - 1] + place.end.column,
        )
        for node, place in places.items()
        # The provider counts one line too many for a module whose last line has no end.
        if not isinstance(node, cst.Module)
    }
    found, parents = ranges_and_parents(module)
    assert found.pop(module) == (0, len(text))
    assert found == expected
    assert parents == above
