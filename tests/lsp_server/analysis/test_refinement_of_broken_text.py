"""Later evidence says nothing of a text that does not parse, so that what the source told of it stays."""

from __future__ import annotations

import pytest
from kernel_pairs import TRANSPOSED

from lsp_server.analysis.analyst import Analyst
from lsp_server.analysis.refinement import Stop
from lsp_server.documents.document import Document


@pytest.mark.parametrize("stage", ["recorded", "compiled"])
def test_a_later_stage_leaves_a_broken_text_alone(tmp_path, stage):
    file = tmp_path / "k.py"
    (tmp_path / ".advisor").mkdir()
    broken = Document(file.as_uri(), 1, file, tmp_path, False, TRANSPOSED + "def (:\n")
    analyst = Analyst()
    try:
        (problem,) = analyst.from_source(broken).problems
        assert problem.message == "syntax error: invalid syntax"
        assert analyst.later(broken, stage, Stop()) is None
    finally:
        analyst.close()


def test_a_sound_text_is_looked_at_by_the_compiler(tmp_path):
    file = tmp_path / "k.py"
    sound = Document(file.as_uri(), 1, file, tmp_path, False, TRANSPOSED)
    analyst = Analyst()
    try:
        found = analyst.later(sound, "compiled", Stop())
        assert found is not None and found.evidence == "simulated"
        assert [one.rule for one in found.findings] == ["transposed-index"]
    finally:
        analyst.close()
