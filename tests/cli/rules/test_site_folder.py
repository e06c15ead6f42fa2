"""The folder that `advisor rules docs` writes: repeatable, and nothing of anybody else's is touched."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from site_pages import contents

import advisor as package
from advisor.cli.pages.site_folder import MANIFEST

Run = Callable[..., Any]

HOUSE = """edition 1
/// What it finds.
rule house-rule "A rule of the house" {
  for each kernel k
  when k.registers > 64
  severity warning confidence high effort medium
  say "{k}" why "Because." try "Change it."
  source "Handbook"
  example fires "so" { k.registers = 128 }
  example silent "not so" { k.registers = 1 }
}
"""


@pytest.fixture
def house(project: Path) -> Path:
    folder = project / "packs"
    folder.mkdir()
    (folder / "house-rule.rules").write_text(HOUSE, encoding="utf-8")
    (project / "advisor.toml").write_text('packs = ["packs"]\n')
    return project


def test_the_same_rules_give_the_same_bytes(advisor: Run, house: Path) -> None:
    for seed, folder in (("1", "one"), ("2", "two")):
        environment = {
            **os.environ, "PYTHONPATH": str(Path(package.__file__).parents[1]), "PYTHONHASHSEED": seed,
        }  # fmt: skip
        command = [sys.executable, "-m", "advisor", "rules", "docs", folder]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=300
        )
        assert (done.returncode, done.stderr) == (0, "")
    one = contents(house / "one")
    assert one == contents(house / "two")
    assert all("\r" not in text and text.endswith("\n") for text in one.values())
    before = contents(house / "one")
    assert advisor("rules", "docs", "one").out == f"{len(before) - 1} files written to one.\n"
    assert contents(house / "one") == before


def test_pages_of_rules_that_are_gone_are_removed_and_nothing_else(advisor: Run, house: Path) -> None:
    advisor("rules", "docs", "site")
    own = house / "site" / "rules" / "notes.html"
    own.write_text("mine")
    (house / "site" / ".nojekyll").write_text("")
    (house / "advisor.toml").write_text("")
    outcome = advisor("rules", "docs", "site")
    assert outcome.status == 0
    assert outcome.out.splitlines()[1] == "1 removed, which no rule has any more: rules/house-rule.html."
    assert not (house / "site/rules/house-rule.html").exists()
    assert own.read_text() == "mine"
    assert (house / "site" / ".nojekyll").exists()


def test_another_format_replaces_the_pages_of_the_first(advisor: Run, project: Path) -> None:
    advisor("rules", "docs", "site")
    assert advisor("rules", "docs", "site", "--format", "markdown").status == 0
    assert {Path(name).suffix for name in contents(project / "site")} == {".md", ""}


@pytest.mark.parametrize(
    "name", ["../k.py", "/etc/hostname", "rules/../../k.py", "k.py", "advisor.toml", "."]
)
def test_a_manifest_cannot_make_it_remove_files_of_others(advisor: Run, project: Path, name: str) -> None:
    (project / "site").mkdir()
    (project / "site" / MANIFEST).write_text(f"{name}\n")
    (project / "site" / "k.py").write_text("mine")
    assert advisor("rules", "docs", "site").status == 0
    assert (project / "k.py").exists()
    assert (project / "site" / "k.py").read_text() == "mine"


def test_a_folder_with_other_contents_is_refused(advisor: Run, project: Path) -> None:
    (project / "site").mkdir()
    (project / "site" / "index.html").write_text("mine")
    outcome = advisor("rules", "docs", "site")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == (
        "advisor: error: site: is not empty and was not written by `advisor rules docs` (it has no "
        ".advisor-docs). Name a new or an empty folder.\n"
    )
    assert contents(project / "site") == {"index.html": "mine"}


def test_an_empty_folder_and_a_deep_new_one_are_fine(advisor: Run, project: Path) -> None:
    (project / "site").mkdir()
    assert advisor("rules", "docs", "site").status == 0
    assert advisor("rules", "docs", "a/b/c").status == 0
    assert contents(project / "site") == contents(project / "a/b/c")


def test_a_file_of_somebody_else_in_the_way_is_not_overwritten(advisor: Run, house: Path) -> None:
    advisor("rules", "docs", "site", "--only-packs")
    (house / "site/rules/slow-power.html").write_text("mine")
    outcome = advisor("rules", "docs", "site")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == (
        "advisor: error: site/rules/slow-power.html: is in the way and was not written by "
        "`advisor rules docs`.\n"
    ).replace("/", os.sep)
    assert (house / "site/rules/slow-power.html").read_text() == "mine"


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_do_not_lead_it_out_of_its_folder(advisor: Run, project: Path) -> None:
    advisor("rules", "docs", "site")
    (project / "elsewhere").mkdir()
    (project / "elsewhere/slow-power.html").write_text("mine")
    page = project / "site/rules/slow-power.html"
    page.unlink()
    page.symlink_to(project / "elsewhere/slow-power.html")
    assert advisor("rules", "docs", "site").status == 2
    page.unlink()
    for file in (project / "site/rules").iterdir():
        file.unlink()
    (project / "site/rules").rmdir()
    (project / "site/rules").symlink_to(project / "elsewhere")
    assert advisor("rules", "docs", "site").status == 2
    assert contents(project / "elsewhere") == {"slow-power.html": "mine"}


def test_an_output_that_is_a_file_is_wrong_use(advisor: Run, project: Path) -> None:
    outcome = advisor("rules", "docs", "k.py")
    assert (outcome.status, outcome.out, outcome.err) == (2, "", "advisor: error: k.py: is not a folder.\n")
    outcome = advisor("rules", "docs", "k.py/site")
    assert (outcome.status, outcome.out) == (2, "")
    assert re.fullmatch(r"advisor: error: k.py\S*: cannot be written: .+\n", outcome.err)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to this user"
)
def test_an_output_that_cannot_be_written_is_said(advisor: Run, project: Path) -> None:
    (project / "site").mkdir(mode=0o500)
    outcome = advisor("rules", "docs", "site")
    assert (outcome.status, outcome.out) == (2, "")
    assert "cannot be written" in outcome.err


def test_a_write_that_fails_is_said_and_can_be_repeated(
    advisor: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from advisor.cli.pages import site_folder

    write = site_folder.write_atomically

    def fail(target: Path, text: str) -> None:
        if target.name == "slow-power.html":
            raise OSError(28, "No space left on device", str(target))
        write(target, text)

    with monkeypatch.context() as patch:
        patch.setattr(site_folder, "write_atomically", fail)
        outcome = advisor("rules", "docs", "site")
    assert outcome.status == 2
    assert outcome.err.endswith("slow-power.html: cannot be written: No space left on device\n")
    assert advisor("rules", "docs", "site").status == 0
