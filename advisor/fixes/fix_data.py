"""What a fix's module says of the fix in a block of comments below its docstring: TOML, which is never run.

    # /// fix
    # title = "Remove debug=True and opt=False"
    # safety = "needs review"
    # rules = ["debug-build"]
    # condition = "nobody debugs this kernel now"
    # ///

The block has the form of Python's inline script metadata (PEP 723), whose regular expression reads it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NoReturn, get_args

from advisor.model.errors import SourceProblem
from advisor.model.findings import Safety
from advisor.model.records import Value
from advisor.model.settings.selectors import suggestion

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_BEGIN = "# /// fix"
_BLOCK = re.compile(r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$")
_TOML_PLACE = re.compile(r" \(at (?:line (?P<line>\d+), column \d+|end of document)\)$")


@dataclass(frozen=True)
class FixData:
    """What is known of a fix: its name, title, safety, the rules whose findings it fixes, and when results
    stay the same.

    Fixes of an earlier `phase` are applied before those of a later one: those of launches first, since a
    kernel that has been rewritten may depend on its block. One that `needs_kernel` has nothing to say of a
    finding whose kernel is not known, such as the launch of a kernel that another distribution defines.
    """

    id: str
    title: str
    safety: Safety
    rules: tuple[str, ...]
    condition: str
    parameters: Mapping[str, Value] = field(default_factory=dict, hash=False)
    phase: int = 2
    needs_kernel: bool = False


_KEYS = tuple(one.name for one in fields(FixData) if one.name != "id")
_KINDS = {
    "title": (str, "a text"),
    "safety": (str, "a text"),
    "rules": (list, "a list of rules"),
    "condition": (str, "a text"),
    "parameters": (dict, "a table"),
    "phase": (int, "a whole number"),
    "needs_kernel": (bool, "true or false"),
}


def read_fix(file: Path) -> FixData:
    """What the block of a fix's module says; the fix is called as its file.

    Raises SourceProblem with file, line and what is wrong there.
    """
    block = _Block(file)
    values = block.values()
    for key in values:
        if key not in _KINDS:
            known = ", ".join(_KEYS)
            block.refuse(key, f"`{key}` is no key of a fix, which are {known}.{suggestion(key, _KEYS)}")
        kind, words = _KINDS[key]
        if type(values[key]) is not kind:
            block.refuse(key, f"`{key}` must be {words}.")
    for key in ("title", "safety", "rules", "condition"):
        if not values.get(key):
            block.refuse(key, f"`{key}` is missing or empty.")
    if values["safety"] not in get_args(Safety):
        block.refuse("safety", f"`safety` must be one of {', '.join(get_args(Safety))}.")
    if not all(isinstance(one, str) for one in values["rules"]):
        block.refuse("rules", "`rules` must be a list of rules.")
    return FixData(file.stem.replace("_", "-"), **{**values, "rules": tuple(values["rules"])})


class _Block:
    """The one block `# /// fix` of a file."""

    def __init__(self, file: Path) -> None:
        self._path, text = file.as_posix(), file.read_text("utf-8")
        begins = [found.start() for found in re.finditer(rf"(?m)^{_BEGIN}$", text)]
        lines = [text.count("\n", 0, begin) + 1 for begin in begins]
        if not begins:
            self._fail(1, f"has no block `{_BEGIN}` below its docstring that says what the fix is called.")
        if len(begins) > 1:
            self._fail(lines[1], f"is a second block `{_BEGIN}`.")
        found = _BLOCK.match(text, begins[0])
        if found is None:
            self._fail(lines[0], "begins a block without an end: lines that begin with `# `, then `# ///`.")
        self._line = lines[0]
        self._lines = [line[2:] for line in found["content"].splitlines()]

    def values(self) -> dict[str, Any]:
        """What the TOML says."""
        try:
            found: dict[str, Any] = tomllib.loads("\n".join(self._lines))
        except tomllib.TOMLDecodeError as error:
            message = str(error)
            place = _TOML_PLACE.search(message)
            line = int(place["line"] or len(self._lines)) if place else 0
            self._fail(self._line + line, f"is not TOML: {_TOML_PLACE.sub('', message)}.")
        return found

    def refuse(self, key: str, message: str) -> NoReturn:
        """Raise SourceProblem at the line of a key, or of the block's beginning."""
        place = re.compile(rf"\[?{re.escape(key)}\b")
        numbers = [number for number, line in enumerate(self._lines, 1) if place.match(line)]
        self._fail(self._line + (numbers[0] if numbers else 0), message)

    def _fail(self, line: int, message: str) -> NoReturn:
        raise SourceProblem(self._path, line, message)
