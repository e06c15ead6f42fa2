"""One fix applied to a text, as `advisor check --fix --unsafe-fixes` applies it."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

from advisor.check.pipeline import check
from advisor.fixes.application import applied, chosen
from advisor.model.findings import Report
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
