"""`advisor rules why` and `advisor check` give one answer, whatever silences a rule, from any folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.__main__ import main

KERNEL = """\
from numba import cuda


@cuda.jit
def rows(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i, 3]{comment}


def main(a, out):
    rows[64, 256](a, out)
"""
RULE, LINE = "uncoalesced-access", 8


def written(folder: Path, *, pack: str = "", config: str = "", comment: str = "") -> None:
    """Write a project: hot/deep/k.py, a pack and a configuration."""
    (folder / ".git").mkdir()
    (folder / "house").mkdir()
    (folder / "house" / "house.rules").write_text(f'pack "house"\n\n{pack}\n')
    (folder / "hot" / "deep").mkdir(parents=True)
    (folder / "hot" / "deep" / "k.py").write_text(KERNEL.replace("{comment}", comment))
    (folder / "advisor.toml").write_text(f'packs = ["house"]\n{config}\n')


def asked(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, object]:
    main([*argv, "--evidence", "source", "--format", "json"])
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def answers(
    folder: Path, start: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[str | None, dict[str, object]]:
    """The severity of what a check says, None where it is silent, and the trace of `why` there."""
    monkeypatch.chdir(folder / start)
    file = {"": "hot/deep/k.py", "hot": "deep/k.py", "house": "../hot/deep/k.py"}[start]
    found = asked(capsys, "check", file)["findings"]
    assert isinstance(found, list)
    severities = [one["severity"] for one in found if one["rule"] == RULE]
    traces = asked(capsys, "rules", "why", RULE, f"{file}::rows")["traces"]
    assert isinstance(traces, list)
    (trace,) = [one for one in traces if one["label"] == "a"]
    return (severities[0] if severities else None), trace


WAYS = [
    ({}, "warning", None),
    ({"pack": f'override {RULE} {{ disable because "ours" }}'}, None, "override"),
    ({"pack": f'override {RULE} for path "hot/*" {{ disable because "ours" }}'}, None, "override"),
    ({"pack": f'override {RULE} for path "hot/**/k.py" {{ disable because "ours" }}'}, None, "override"),
    ({"pack": f'override {RULE} for path "hot/*.py" {{ disable because "ours" }}'}, "warning", None),
    ({"pack": f'override {RULE} for path "deep/*" {{ disable because "ours" }}'}, "warning", None),
    ({"pack": f'override {RULE} for path "*.py" {{ disable because "ours" }}'}, None, "override"),
    ({"pack": f'override {RULE} for kernel "r*" {{ level error because "ours" }}'}, "error", None),
    ({"pack": f'override {RULE} for path "hot/*" {{ set min_sector_ratio = 8 because "ours" }}'}, None, None),
    ({"pack": f'suppress {RULE} where a.array = "a" because "measured"'}, None, "suppress"),
    ({"pack": f'suppress {RULE} where a.array = "out" because "measured"'}, "warning", None),
    ({"config": f'ignore = ["{RULE}"]'}, None, "selection"),
    ({"config": 'select = ["contended-atomic"]'}, None, "selection"),
    ({"config": f'[per-file-ignores]\n"hot/*" = ["{RULE}"]'}, None, "per-file-ignores"),
    ({"config": '[per-file-ignores]\n"hot/*.py" = ["all"]'}, "warning", None),
    ({"config": f'[rules]\n{RULE} = {{ level = "off" }}'}, None, "override"),
    ({"config": f'[rules]\n{RULE} = {{ level = "info" }}'}, "info", None),
    (
        {"config": f'[[overrides]]\nrule = "{RULE}"\npath = "hot/deep"\nlevel = "off"\nreason = "x"'},
        None,
        "override",
    ),
    ({"comment": f"  # advisor: ignore[{RULE}] read once"}, None, "comment"),
    ({"comment": "  # advisor: ignore[contended-atomic] read once"}, "warning", None),
]


@pytest.mark.parametrize("start", ["", "hot", "house"])
@pytest.mark.parametrize(("files", "severity", "by"), WAYS)
def test_one_answer(tmp_path, monkeypatch, capsys, files, severity, by, start):
    written(tmp_path, **files)
    said, trace = answers(tmp_path, start, monkeypatch, capsys)
    assert said == severity
    assert trace["verdict"] == ("silent" if severity is None else "fires")
    assert trace["severity"] == severity
    assert (trace["silenced"] or {}).get("by") == by


def test_the_reason_and_the_place_are_told(tmp_path, monkeypatch, capsys):
    written(tmp_path, pack=f'override {RULE} for path "hot/*" {{ disable because "our rows are short" }}')
    monkeypatch.chdir(tmp_path / "hot")
    assert main(["rules", "why", RULE, "deep/k.py::rows", "--evidence", "source"]) == 0
    first, second = capsys.readouterr().out.splitlines()[:2]
    assert first == (
        f"{RULE} is silent for the access `a` at deep/k.py:8: "
        "disabled (house/house.rules:3: our rows are short)"
    )
    assert second == "  By its conditions it fires:"


def test_an_override_that_holds_is_told(tmp_path, monkeypatch, capsys):
    written(
        tmp_path, pack=f'override {RULE} for kernel "rows" {{ set min_sector_ratio = 2.5 because "ours" }}'
    )
    monkeypatch.chdir(tmp_path)
    assert main(["rules", "why", RULE, "hot/deep/k.py::rows", "--evidence", "source"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "  With min_sector_ratio = 2.5 (house/house.rules:3: ours)"
    assert "        min_sector_ratio = 2.5 (parameter)" in lines
