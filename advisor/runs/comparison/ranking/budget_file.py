"""Budgets of kernels' times as a project writes them down: `budgets.toml` or `[tool.advisor.budgets]`."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.model.devices import find_device
from advisor.model.errors import AdvisorError, UsageError
from advisor.model.settings.config import Config
from advisor.model.settings.config_values import line_of_key
from advisor.model.settings.selectors import suggestion
from advisor.model.text.source_text import Span
from advisor.rules.language.problems import RuleError
from advisor.rules.units import Unit, find_unit

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = "budgets.toml"
TABLE = "budgets"
_KINDS = {"mean": "ms", "most": "ms", "variation": "%"}
_CODE = "budget"


@dataclass(frozen=True)
class Budget:
    """The budget of kernels that `pattern` names: a name, a glob, or `path::name` with either.

    `mean` and `most` are of a launch's time in ms, `variation` is its coefficient of variation, `exponent`
    that of the time over the number of threads; None where not limited. `device` is empty for all. `line`
    is its place in `file`, `written` that line.
    """

    pattern: str
    file: str
    line: int
    written: str
    mean: float | None = None
    most: float | None = None
    variation: float | None = None
    exponent: float | None = None
    device: str = ""

    def problem(self, sentence: str, help_text: str = "") -> RuleError:
        """A problem with the budget's name, at its place."""
        column = max(self.written.find(self.pattern), 0) + 1
        span = Span(self.line, column, self.line, column + len(self.pattern))
        return RuleError(_CODE, self.file, span, sentence, help_text, self.written)


class BudgetErrors(AdvisorError):
    """Every error of a budget file, each with its place and the line."""

    def __init__(self, errors: Sequence[RuleError]) -> None:
        super().__init__("\n\n".join(map(str, errors)))


def load_budgets(config: Config, file: Path | None) -> list[Budget]:
    """The budgets of `file`, else those of the configuration, else of `budgets.toml` beside it.

    Raises UsageError where there are none, BudgetErrors with all that is wrong in a file.
    """
    for candidate, table in _candidates(config, file):
        text, read = _read(candidate)
        content: object = read
        for name in table:
            content = content.get(name, {}) if isinstance(content, Mapping) else {}
        if content or file is not None:
            return _Reading(_shown(candidate), text.splitlines(), table).budgets(content)
    raise UsageError(
        f'There are no budgets: write `kernel = "500 us"` below [budgets] in {config.root / FILE}, or below '
        "[tool.advisor.budgets] in pyproject.toml."
    )


def _candidates(config: Config, file: Path | None) -> list[tuple[Path, tuple[str, ...]]]:
    if file is not None:
        if not file.is_file():
            raise UsageError(f"--file {file}: there is no such file.")
        return [(file, ("tool", "advisor", TABLE) if file.name == "pyproject.toml" else (TABLE,))]
    found: list[tuple[Path, tuple[str, ...]]] = []
    if config.file is not None:
        in_pyproject = config.file.name == "pyproject.toml"
        found.append((config.file, ("tool", "advisor", TABLE) if in_pyproject else (TABLE,)))
    own = config.root / FILE
    return [*found, (own, (TABLE,))] if own.is_file() else found


def _read(file: Path) -> tuple[str, Mapping[str, object]]:
    try:
        text = file.read_text("utf-8")
        return text, tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{_shown(file)}: cannot be read: {error.strerror or error}.") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{_shown(file)}: is not UTF-8: {error.reason} at byte {error.start}.") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{_shown(file)}: is not valid TOML: {error}.") from None


def _shown(file: Path) -> str:
    try:
        return file.absolute().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return str(file)


class _Reading:
    """Reads one table of budgets; all errors are gathered before they are raised."""

    def __init__(self, file: str, lines: Sequence[str], table: tuple[str, ...]) -> None:
        self._file, self._lines, self._table = file, lines, table
        self._errors: list[RuleError] = []

    def budgets(self, content: object) -> list[Budget]:
        """The budgets of the table; raises BudgetErrors."""
        if not isinstance(content, Mapping):
            raise UsageError(f"{self._file}: `{'.'.join(self._table)}` must be a table.")
        found = [self._budget(pattern, value) for pattern, value in content.items()]
        if self._errors:
            raise BudgetErrors(self._errors)
        if not found:
            raise UsageError(f"{self._file}: there is no budget below [{'.'.join(self._table)}].")
        return found

    def _budget(self, pattern: str, value: object) -> Budget:
        line = line_of_key(self._lines, (*self._table, pattern)) or 1
        written = self._lines[line - 1] if line <= len(self._lines) else ""
        given: Mapping[str, object] = value if isinstance(value, Mapping) else {"mean": value}
        numbers: dict[str, float | None] = {}
        device = ""
        for key, one in given.items():
            if key in _KINDS:
                numbers[key] = self._quantity(pattern, key, one)
            elif key == "exponent":
                numbers[key] = self._exponent(pattern, one)
            elif key == "device":
                device = self._device(pattern, one)
            else:
                known = [*_KINDS, "exponent", "device"]
                self._complain(
                    pattern, key, key, f"`{key}` is no part of a budget.{suggestion(key, known)}",
                    f"a budget has {', '.join(known)}",
                )  # fmt: skip
        if not numbers:
            self._complain(
                pattern, "", pattern, f"The budget of `{pattern}` limits nothing.", 'mean = "500 us"'
            )
        return Budget(pattern, self._file, line, written, **numbers, device=device)

    def _quantity(self, pattern: str, key: str, value: object) -> float | None:
        unit = find_unit(_KINDS[key])
        assert unit is not None
        number, found = _parsed(value)
        if number is None or found is None or found.dimension != unit.dimension or number <= 0.0:
            what = "a share" if unit.name == "ratio" else "a time"
            example = '"10%"' if unit.name == "ratio" else '"500 us", "2 ms" or "1 s"'
            self._complain(
                pattern, key, str(value), f"{_as_written(value)} is not {what}.",
                f"write a number above 0 with its unit in quotes, as {example}",
            )  # fmt: skip
            return None
        return found.in_base(number)

    def _exponent(self, pattern: str, value: object) -> float | None:
        if isinstance(value, int | float) and not isinstance(value, bool) and 0.0 <= value < 10.0:
            return float(value)
        self._complain(
            pattern, "exponent", str(value), f"{_as_written(value)} is not an exponent.",
            "write a number: 1 where twice the threads take twice the time",
        )  # fmt: skip
        return None

    def _device(self, pattern: str, value: object) -> str:
        try:
            return find_device(str(value)).id
        except UsageError as error:
            self._complain(pattern, "device", str(value), str(error), "")
            return ""

    def _complain(self, pattern: str, key: str, word: str, sentence: str, help_text: str) -> None:
        """Add an error at `word` in the line that sets a key of a budget."""
        path = (*self._table, pattern, key) if key else (*self._table, pattern)
        line = line_of_key(self._lines, path) or line_of_key(self._lines, (*self._table, pattern)) or 1
        written = self._lines[line - 1] if line <= len(self._lines) else ""
        column = written.find(word, written.find("=") + 1 if word != pattern and word != key else 0) + 1
        span = Span(line, max(column, 1), line, max(column, 1) + max(len(word), 1))
        self._errors.append(RuleError(_CODE, self._file, span, sentence, help_text, written))


def _parsed(value: object) -> tuple[float | None, Unit | None]:
    if not isinstance(value, str):
        return None, None
    found = re.fullmatch(r"\s*([0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\s*([^\s0-9]+)\s*", value)
    if found is None:
        return None, None
    number = float(found[1].replace("_", ""))
    return (number, find_unit(found[2])) if math.isfinite(number) else (None, None)


def _as_written(value: object) -> str:
    return f"`{value}`" if isinstance(value, str | int | float) else "This"
