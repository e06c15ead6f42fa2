"""Explain, edit, verify: a script alone comes to a proven improvement."""

from pathlib import Path

import pytest

pytest.importorskip("mcp")

from served_tools import answers


def test_what_explain_offers_is_proven_and_then_written(project: Path) -> None:
    file = project / "rows.py"
    explained, unproven = answers(
        project,
        [
            ("explain", {"name": "rows.py::copy_rows", "run_code": True}),
            (
                "verify",
                {
                    "paths": ["rows.py"],
                    "edits": [{"path": "rows.py", "old": "grid(1)", "text": "grid(1) + 0"}],
                },
            ),
        ],
        "--allow-run",
    )
    assert explained.content["waits_for"]["bound_by"] == "memory"
    fix = next(one["fix"] for one in explained.content["actions"] if one["fix"])
    text = file.read_text()
    assert all(text[one["start"] : one["end"]] == one["old"] for one in fix["edits"])
    assert not unproven.content["proven"]

    edits = [{key: one[key] for key in ("path", "start", "end", "text")} for one in fix["edits"]]
    (proof,) = answers(project, [("verify", {"paths": ["rows.py"], "edits": edits})], "--allow-run")
    assert proof.content["proven"]
    (one,) = proof.content["proofs"]
    assert one["verdict"] == "predicted faster" and one["outputs"] == "equal" and one["speedup"] > 2
    assert one["speedup_interval"][0] > 1 and "equal bit by bit" in one["detail"]
    assert file.read_text() == text
