"""Golden files of what the commands over the history print; --renew-golden writes them again."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"
_TIMES = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? UTC")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """A check that a text, times of the day left out, is the content of a golden file."""

    def check(name: str, text: str) -> None:
        file = GOLDEN / name
        text = _TIMES.sub("TIME", text)
        if request.config.getoption("--renew-golden", default=False):
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(text.encode("utf-8"))
        assert file.exists(), f"{name} is missing: pytest tests/runs/comparison --renew-golden writes it"
        assert text == file.read_bytes().decode("utf-8")

    return check


@pytest.fixture
def advise(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run the command in this process: exit status, standard output, standard error."""
    from advisor.__main__ import main

    def command(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        status = main(arguments)
        said = capsys.readouterr()
        return status, said.out, said.err

    return command
