"""Whether a file that holds nothing of interest is Python at all: a file that is not was not checked."""

from __future__ import annotations

from advisor.errors import SourceProblem
from advisor.notebooks import is_notebook
from advisor.notebooks.json_text import OtherLanguage
from advisor.syntax_trees import parses
from advisor.text import decode_source


def is_readable(data: bytes, path: str) -> bool:
    """Whether the bytes of a file parse, of a notebook those of all cells; one for another language does.

    A few files that parse are not called readable; none that does not parse is.
    """
    if not is_notebook(path):
        return parses(data)
    from advisor.notebooks.joined_text import cells_of

    try:
        return not cells_of(decode_source(data, path).text).left_out()
    except OtherLanguage:
        return True
    except SourceProblem:
        return False
