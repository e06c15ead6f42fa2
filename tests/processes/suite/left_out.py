"""Leaves out the tests that `left_out.toml` names, unless `pytest --exhaustive` asks for all."""

from __future__ import annotations

import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LIST = Path(__file__).with_name("left_out.toml")


class LeftOut:
    """Deselects the tests; in a run of the whole suite a pattern that names none is an error."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        self._patterns = patterns

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        named = [(one.nodeid, one) for one in items]
        matched = {
            pattern: [one for name, one in named if fnmatchcase(name, pattern)] for pattern in self._patterns
        }
        unused = [pattern for pattern, found in matched.items() if not found]
        # A worker of pytest-xdist that raises ends the run without a word of why.
        alone = not hasattr(config, "workerinput")
        if (
            unused
            and alone
            and config.args_source is pytest.Config.ArgsSource.TESTPATHS
            and not config.option.keyword
        ):
            raise pytest.UsageError(f"{LIST.name} names tests that there are not: {', '.join(unused)}")
        left_out = {one for found in matched.values() for one in found}
        if left_out:
            items[:] = [one for one in items if one not in left_out]
            config.hook.pytest_deselected(items=[*left_out])


def patterns() -> tuple[str, ...]:
    """The patterns of the list, those for `{others}` once for each of these."""
    groups = tomllib.loads(LIST.read_text("utf-8"))["left_out"]
    return tuple(
        test.replace("{others}", other)
        for one in groups
        for test in one["tests"]
        for other in one.get("others", [""])
        if other or "{others}" not in test
    )
