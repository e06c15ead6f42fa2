"""Golden files of the rule language's error messages; --renew-golden writes them again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """A check that a text is the content of a golden file."""

    def check(name: str, text: str) -> None:
        file = GOLDEN / name
        if request.config.getoption("--renew-golden"):
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(text.encode("utf-8"))
        assert file.exists(), f"{name} is missing: pytest tests/rules --renew-golden writes it"
        assert text == file.read_bytes().decode("utf-8")

    return check
