"""`advisor mcp` without a client."""

import importlib.util
from collections.abc import Callable
from typing import Any

import pytest

from advisor.cli.mcp_server.edited_copy import ProposedEdit, edited_texts
from advisor.cli.mcp_server.workspace import Workspace
from advisor.model.errors import UsageError


def test_without_the_extra_one_sentence_says_how_to_have_it(
    advisor: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "mcp" else found(name))
    outcome = advisor("mcp")
    assert outcome.status == 2 and not outcome.out
    assert outcome.err == (
        "advisor: error: `advisor mcp` needs the protocol's Python SDK: pip install 'kernel-advisor[mcp]' "
        "brings it.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--seconds", "0"], "limits above zero"),
        (["--memory", "-1"], "limits above zero"),
        (["--root", "nowhere"], "no such folder"),
    ],
)
def test_wrong_options_are_told(
    advisor: Callable[..., Any],
    project: Any,
    arguments: list[str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("mcp")
    outcome = advisor("mcp", *arguments)
    assert outcome.status == 2 and told in outcome.err


def test_edits_have_to_fit_their_file(project: Any) -> None:
    workspace = Workspace(project)
    text = (project / "k.py").read_text()
    fits = ProposedEdit("k.py", "3", old="2")
    assert edited_texts(workspace, [fits]) == {"k.py": text.replace("2", "3")}
    by_place = ProposedEdit("k.py", "3", start=text.index("2"), end=text.index("2") + 1)
    assert edited_texts(workspace, [by_place]) == edited_texts(workspace, [fits])
    for wrong, told in (
        ([ProposedEdit("k.py", "", old="cuda")], "stands there 3 times"),
        ([ProposedEdit("k.py", "", old="absent")], "stands there 0 times"),
        ([ProposedEdit("k.py", "", start=0, end=len(text) + 1)], "are no part"),
        ([ProposedEdit("k.py", "")], "are no part"),
        (
            [ProposedEdit("k.py", "", start=0, end=5), ProposedEdit("k.py", "", start=4, end=6)],
            "same characters",
        ),
    ):
        with pytest.raises(UsageError, match=told):
            edited_texts(workspace, wrong)
