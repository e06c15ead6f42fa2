"""An error of syntax is no longer shown as soon as the text is Python again, before it is analysed."""

from __future__ import annotations

import dataclasses

import pytest
from diagnostic_codes import codes
from kernel_pairs import TRANSPOSED

from lsp_server.analysis.analyst import Analyst
from lsp_server.documents.document import Document

BROKEN = TRANSPOSED + "x = (\n"
VALID = "\n" + TRANSPOSED + "x = ()\n"


@pytest.mark.parametrize("pulls", [False, True])
def test_the_error_goes_and_the_findings_stay_at_their_places(client, pulls):
    client.start(pulls=pulls)
    shown = client.pulled if pulls else None
    uri = client.open("k.py", TRANSPOSED)
    for version, text, expected in (
        (1, TRANSPOSED, ["transposed-index"]),
        (2, BROKEN, ["not-checked", "transposed-index"]),
        (3, VALID, ["transposed-index"]),
        (4, BROKEN, ["not-checked", "transposed-index"]),
    ):
        if version > 1:
            client.change(uri, version, text)
        found = shown(uri) if shown else client.published(uri, version)
        assert sorted(codes(found)) == expected
        if text == VALID:
            assert found[0]["range"]["start"]["line"] == 8
    assert client.stop() == 0


def test_what_is_expected_of_a_text_that_parses_again_is_what_was_said_before_its_error(tmp_path):
    file = tmp_path / "k.py"
    analyst = Analyst()
    first = Document(file.as_uri(), 1, file, tmp_path, False, TRANSPOSED)
    broken = dataclasses.replace(first, version=2, text=BROKEN)
    valid = dataclasses.replace(first, version=3, text=VALID)
    assert analyst.expected(first) is None
    analyst.from_source(first)
    assert [problem.line for problem in analyst.from_source(broken).problems] == [9]
    assert analyst.expected(broken) is None
    expected = analyst.expected(valid)
    assert expected.problems == ()
    assert [(one.rule, one.span.line) for one in expected.findings] == [("transposed-index", 9)]
    assert [one.span for one in analyst.from_source(valid).findings] == [
        one.span for one in expected.findings
    ]
