"""Whether a file that holds nothing of interest is Python at all: a file that is not was not checked."""

from __future__ import annotations

from advisor.model.errors import SourceProblem
from advisor.model.text.notebooks import is_notebook
from advisor.model.text.notebooks.json_text import OtherLanguage
from advisor.model.text.source_text import decode_source
from advisor.model.text.syntax_trees import parses


def is_readable(data: bytes, path: str) -> bool:
    """Whether the bytes of a file parse, of a notebook those of all cells; one for another language does.

    A few files that parse are not called readable; none that does not parse is.
    """
    if not is_notebook(path):
        return parses(data)
    from advisor.model.text.notebooks.joined_text import cells_of

    try:
        return not cells_of(decode_source(data, path).text).left_out()
    except OtherLanguage:
        return True
    except SourceProblem:
        return False
