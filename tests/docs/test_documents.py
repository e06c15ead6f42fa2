"""The documents tell the truth: output, commands, configuration and links."""

from __future__ import annotations

import itertools
import pkgutil
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from program_in_process import run_advisor

from advisor.cli import command_names, history_actions, rule_actions
from advisor.model.settings.config import load_config

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
DOCUMENTS += sorted((ROOT / "docs").rglob("*.md"))
_OUTPUT = re.compile(r"<!-- output: (?P<command>[^\n]*) -->\n```text\n(?P<text>.*?)```\n", re.DOTALL)
_BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)")
README = ROOT / "README.md"
COMMANDS = ROOT / "docs/commands/README.md"
OUTPUTS = [
    (document, number)
    for document in DOCUMENTS
    for number in range(len(_OUTPUT.findall(document.read_text("utf-8"))))
]


def advisor(*argv: str) -> subprocess.CompletedProcess[str]:
    return run_advisor(ROOT, *argv)


def blocks(document: Path, kind: str) -> list[str]:
    return [found["text"] for found in _BLOCK.finditer(document.read_text("utf-8")) if found["kind"] == kind]


@pytest.mark.parametrize(("document", "number"), OUTPUTS, ids=str)
def test_documents_show_real_output(document: Path, number: int, request: pytest.FixtureRequest) -> None:
    text = document.read_text("utf-8")
    shown = list(_OUTPUT.finditer(text))[number]
    printed = advisor(*shlex.split(shown["command"])).stdout
    if request.config.getoption("--renew-golden"):
        document.write_text(text[: shown.start("text")] + printed + text[shown.end("text") :], "utf-8")
    else:
        assert printed == shown["text"], "pytest tests/docs --renew-golden -p no:xdist writes it"
    assert "error:" not in printed


def test_the_readme_is_read_in_a_minute() -> None:
    text = README.read_text("utf-8")
    assert len(text.splitlines()) <= 100
    assert [document for document, _ in OUTPUTS].count(README) == 1


def test_every_page_is_reached_from_the_readme() -> None:
    reached, pages = {README}, [README]
    while pages:
        page = pages.pop()
        for target in _LINK.findall(_BLOCK.sub("", page.read_text("utf-8"))):
            linked = (page.parent / target).resolve()
            linked = linked / "README.md" if linked.is_dir() else linked
            if linked.suffix == ".md" and linked.exists() and linked not in reached:
                reached.add(linked)
                pages.append(linked)
    assert sorted(set((ROOT / "docs").rglob("*.md")) - reached) == []


def test_the_page_of_commands_has_every_command_and_action() -> None:
    page = COMMANDS.read_text("utf-8")
    listed = set(re.findall(r"^\| `advisor ([a-z]+)", page, re.MULTILINE))
    assert listed == set(command_names())
    for command, package in (("rules", rule_actions), ("history", history_actions)):
        actions = set(re.findall(rf"^\| `advisor {command} ([a-z]+)", page, re.MULTILINE))
        assert actions == {module.name for module in pkgutil.iter_modules(package.__path__)}


def test_the_test_command_is_the_one_that_ci_runs() -> None:
    first, second, *_ = blocks(ROOT / "README.md", "console")
    assert first.strip().endswith(".venv/bin/advisor check kernels/")
    assert second.strip() in (ROOT / ".ci/run").read_text("utf-8")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda file: file.name)
def test_commands_in_the_documents_exist(document: Path) -> None:
    for text in blocks(document, "console"):
        for line in text.splitlines():
            if not line.startswith("advisor "):
                continue
            words = shlex.split(line)[1:]
            if words[0] == "run":  # What follows the program is the program's.
                words = list(itertools.takewhile(lambda word: not word.endswith(".py"), words))
            options = [word.split("=")[0] for word in words if word.startswith("--")]
            shown = advisor(*[word for word in words[:2] if re.fullmatch(r"[a-z]+", word)], "--help")
            assert shown.returncode == 0, line
            assert all(option in shown.stdout for option in options), line


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda file: file.name)
def test_links_lead_somewhere(document: Path) -> None:
    for target in _LINK.findall(_BLOCK.sub("", document.read_text("utf-8"))):
        assert (document.parent / target).exists(), target


def test_each_promise_about_security_names_a_test_that_there_is() -> None:
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    named = re.findall(r"`(tests/[^`]+)`", text)
    assert len(set(named)) > 15
    assert [one for one in named if not (ROOT / one).exists()] == []
    of_promises = text.partition("## What is not trusted")[2].partition("\n## ")[0]
    rows = [line for line in of_promises.splitlines() if line.startswith("| ")][1:]
    assert [row for row in rows if "`tests/" not in row] == []


def test_the_configuration_that_is_shown_is_accepted(tmp_path: Path) -> None:
    (shown,) = blocks(ROOT / "docs/commands/configuration.md", "toml")
    (tmp_path / "pyproject.toml").write_text(shown, encoding="utf-8")
    (tmp_path / "k.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "tools/gpu_rules").mkdir(parents=True)
    (tmp_path / "tools/gpu_rules/pack.rules").write_text('edition 1\npack "gpu" version "1.0.0"\n')
    assert load_config(tmp_path).device == "h100-sxm"
    done = run_advisor(tmp_path, "check", "k.py")
    assert done.returncode == 0, done.stderr


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "docs/decisions"
    index = (folder / "README.md").read_text("utf-8")
    for page in sorted(folder.glob("[0-9]*.md")):
        assert f"({page.name})" in index, page.name


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda file: file.name)
def test_documents_name_no_machine(document: Path) -> None:
    text = document.read_text("utf-8")
    assert not re.search(r"(?<![\w.`])/(?:home|root|tmp|work|Users)/", text)
