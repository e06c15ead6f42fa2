"""Golden files: what every format prints for the same reports. --renew-golden writes them again."""

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
        if request.config.getoption("--renew-golden", default=False):
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(text.encode("utf-8"))
        assert file.exists(), f"{name} is missing: pytest tests/reports/outputs --renew-golden writes it"
        assert text == file.read_bytes().decode("utf-8")

    return check
