"""What `advisor check` asks of the pipeline: from arguments, configuration and the files found."""

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_the_defaults(advisor: Callable[..., Any], fake_check: Any, project: Path) -> None:
    assert advisor("check").status == 0
    asked = fake_check.asked
    assert fake_check.files == ("k.py",)
    assert (asked.device, asked.evidence, asked.no_run) == ("a100-80gb", "simulated", False)
    assert (asked.select, asked.extend_select, asked.ignore) == ((), (), ())
    assert (asked.root, asked.cache_folder) == (project, project / ".advisor" / "cache")
    assert (asked.jobs, asked.stdin) == (None, None)


def test_arguments_reach_the_pipeline(advisor: Callable[..., Any], fake_check: Any) -> None:
    advisor(
        *("check", "k.py", "--device", "t4", "--evidence", "source", "--no-run", "--jobs", "3"),
        *("--select", "a,b", "--select", "c", "--extend-select", "d", "--ignore", "e, f", "--no-cache"),
    )
    asked = fake_check.asked
    assert (asked.device, asked.evidence, asked.no_run, asked.jobs) == ("t4", "source", True, 3)
    assert (asked.select, asked.extend_select, asked.ignore) == (("a", "b", "c"), ("d",), ("e", "f"))
    assert asked.cache_folder is None


def test_the_command_line_comes_before_the_configuration(
    advisor: Callable[..., Any], fake_check: Any, project: Path
) -> None:
    (project / "advisor.toml").write_text(
        'device = "l4"\nselect = ["memory"]\nextend-select = ["x"]\nignore = ["y"]\nevidence = "source"\n'
    )
    advisor("check", "--ignore", "z")
    asked = fake_check.asked
    assert (asked.device, asked.evidence) == ("l4", "source")
    assert (asked.select, asked.extend_select, asked.ignore) == (("memory",), ("x",), ("y", "z"))
    advisor("check", "--select", "only", "--device", "t4")
    asked = fake_check.asked
    assert (asked.device, asked.select, asked.extend_select, asked.ignore) == ("t4", ("only",), (), ())
    assert (asked.settings.select, asked.settings.ignore) == ((), ())


def test_isolated_and_fragments(advisor: Callable[..., Any], fake_check: Any, project: Path) -> None:
    (project / "advisor.toml").write_text('device = "l4"\n')
    advisor("check", "--isolated", "--config", 'rules.spills.level = "off"')
    assert fake_check.asked.device == "a100-80gb"
    assert fake_check.asked.settings.rules["spills"].level == "off"


def test_the_configuration_of_the_checked_folder_is_used(
    advisor: Callable[..., Any], fake_check: Any, project: Path
) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "advisor.toml").write_text('device = "l4"\nexclude = ["gen"]\n')
    (project / "sub" / "gen").mkdir()
    for name in ("sub/a.py", "sub/gen/b.py"):
        (project / name).write_text("")
    advisor("check", "sub")
    assert (fake_check.asked.device, fake_check.files) == ("l4", ("sub/a.py",))
    advisor("check", "sub", "k.py")
    assert fake_check.asked.device == "a100-80gb"


def test_stdin_is_checked_under_the_name_given(
    advisor: Callable[..., Any], fake_check: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("é = 1\n".encode())))
    assert advisor("check", "-", "--stdin-filename", "pkg/x.py").status == 0
    assert fake_check.files == ()
    assert (fake_check.asked.stdin.path, fake_check.asked.stdin.text) == ("pkg/x.py", "é = 1\n")


def test_stdin_that_does_not_decode_is_an_error_with_its_place(
    advisor: Callable[..., Any], fake_check: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a = 1\nb = '\xff'\n")))
    outcome = advisor("check", "-")
    assert outcome.status == 2
    assert outcome.err.startswith("advisor: error: stdin.py:2:6: cannot be decoded")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--fromat", "json"], "unknown argument `--fromat`. Did you mean `--format`?"),
        (["--format", "jsno"], "unknown format `jsno`. Did you mean `json`?"),
        (["--evidence", "compild"], "Did you mean `compiled`?"),
        (["--jobs", "0"], "'0' is not a number of processes (1 or more)"),
        (["gone.py"], "gone.py: no such file or folder"),
        (["--write-baseline"], "--write-baseline needs --baseline FILE"),
        (["-", "k.py"], "`-` reads one file from stdin"),
        (["--stdin-filename", "x.py", "k.py"], "--stdin-filename names the text on stdin"),
        (["--config", "device=t4"], "is not valid TOML"),
        (["--config", "devise='t4'"], "unknown key `devise`. Did you mean `device`?"),
        (["--quiet", "--verbose"], "not allowed with argument"),
        (["--fixx"], "unknown argument `--fixx`."),
        (["--watch"], "unknown argument `--watch`."),
    ],
)
def test_wrong_use_is_one_sentence_and_status_2(
    advisor: Callable[..., Any], fake_check: Any, argv: list[str], message: str
) -> None:
    outcome = advisor("check", *argv)
    assert outcome.status == 2
    assert outcome.out == ""
    assert outcome.err.startswith("advisor: error: ")
    assert outcome.err.count("\n") == 1
    assert message in outcome.err
    assert fake_check.options is None


def test_several_mistakes_of_the_configuration_are_several_lines(
    advisor: Callable[..., Any], fake_check: Any, project: Path
) -> None:
    (project / "advisor.toml").write_text('devise = "l4"\nselekt = []\n')
    lines = advisor("check").err.splitlines()
    assert lines == [
        "advisor: error: advisor.toml:1: unknown key `devise`. Did you mean `device`?",
        "advisor: error: advisor.toml:2: unknown key `selekt`. Did you mean `select`?",
    ]
