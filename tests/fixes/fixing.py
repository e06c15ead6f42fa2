"""One fix applied to a text, as `advisor check --fix --unsafe-fixes` applies it."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from advisor.check.pipeline import check
from advisor.fixes.application import applied, chosen
from advisor.model.findings import Edit, Report
from advisor.model.records import Source
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config

_ROUNDS = 6


def report_on(folder: Path, text: str, evidence: Source = "source") -> Report:
    """The report on a text as the file k.py; `simulated` evidence runs its `workload`."""
    file = folder / "k.py"
    file.write_text(text)
    settings = Config(root=folder)
    options = CheckOptions("a100-80gb", folder, evidence, settings=settings, workspace_files=())
    return check([file], options)


def assert_apart(edits: Sequence[Edit]) -> None:
    """Hold that no edit of a fix changes what another one does: editors refuse such fixes."""
    places = sorted((edit.path, edit.start, edit.end) for edit in set(edits))
    for one, other in pairwise(places):
        assert one[0] != other[0] or one[2] <= other[1], f"edits overlap: {one}, {other}"


def fixed(folder: Path, fix: str, text: str, evidence: Source = "source") -> str:
    """The text after a fix has been applied until nothing is left to mend; the text itself where it has
    nothing to say. `text` may be indented as a whole.

    The result parses, and it is checked once more, so that a second application is known to change nothing.
    """
    text = textwrap.dedent(text).lstrip("\n")
    for _ in range(_ROUNDS):
        findings = []
        for finding in report_on(folder, text, evidence).findings:
            able = tuple(one for one in finding.fixes if one.id == fix)
            for one in able:
                assert_apart(one.edits)
            object.__setattr__(finding, "fixes", able)
            findings.append(finding)
        pairs = chosen(findings, ("safe", "needs review"))
        if not pairs:
            return text
        after = applied(text, [one for _, one in pairs])
        assert after != text, "the fix changes nothing"
        ast.parse(after)
        text = after
    raise AssertionError(f"the fix never ends:\n{text}")
