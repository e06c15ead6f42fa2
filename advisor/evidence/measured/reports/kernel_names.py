"""Names of kernels as reports have them, and as people read them: demangled, without arguments."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache

_SECONDS = 5.0
_NESTED = re.compile(r"_ZN(?P<parts>.*)")
_PLAIN = re.compile(r"_Z(?P<length>\d+)(?P<rest>.*)")
# Numba writes < and > of `<locals>` and `<lambda>` as _3c and _3e; _ itself it leaves alone, so that other
# pairs of digits may be of the function's own name.
_ESCAPED = {"_3c": "<", "_3e": ">"}
_MAIN = "__main__"
_TAG = re.compile(r"\[abi:[^\]]*\]")
_NUMBA = re.compile(r"(?:cudapy::)?(?P<path>[\w.$:<>]+?)(?:\[abi:[^\]]*\])+")
_TAIL = re.compile(r"\s*(const|\[clone [^\]]*\]|\[with .*\])\s*$")


@dataclass(frozen=True)
class KernelName:
    """A kernel's name for people and the types of its arguments.

    `parts` are those of a kernel of Numba: modules, classes and functions, with `__main__` for a script; of
    other kernels there are none, and `name` has the namespaces and template arguments.
    """

    name: str
    types: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def readable(reported: str) -> KernelName:
    """What a report's name of a kernel says."""
    name = reported.strip()
    if name.startswith("_Z"):
        numba = _numba_parts(name)
        if numba is not None:
            return numba
        name = _demangled(name)
    if (numba_name := _of_numba(name)) is not None:
        return numba_name
    plain, types = _without_arguments(_TAIL.sub("", name))
    return KernelName(_without_result(plain), types)


def _numba_parts(name: str) -> KernelName | None:
    """A mangled name of Numba: nested parts, the last with the tags of its version and options."""
    match = _NESTED.fullmatch(name)
    if match is None:
        return None
    parts, rest = [], match["parts"]
    while number := re.match(r"\d+", rest):
        length = int(number[0])
        parts.append(rest[number.end() : number.end() + length])
        rest = rest[number.end() + length :]
    # A C++ name has no tag of a version behind it.
    if not parts or not re.match(r"B(2v\d|\d+v\d+B)", rest):
        return None
    return _of_parts(parts, ())


def _of_numba(name: str) -> KernelName | None:
    """A demangled name of Numba: `cudapy::module::outer::inner[abi:v1,…](Array<…>, …)`."""
    plain, types = _without_arguments(name)
    match = _NUMBA.fullmatch(plain)
    return None if match is None else _of_parts(_TAG.sub("", match["path"]).split("::"), types)


def _of_parts(parts: list[str], types: tuple[str, ...]) -> KernelName | None:
    texts = [_unescaped(part) for part in parts]
    texts = texts[1:] if texts[0] == "cudapy" else texts
    if not texts:
        return None
    shown = texts[1:] if texts[0] == _MAIN and len(texts) > 1 else texts
    return KernelName(".".join(shown), types, tuple(texts))


def _unescaped(part: str) -> str:
    for code, character in _ESCAPED.items():
        part = part.replace(code, character)
    return part


def _demangled(name: str) -> str:
    program = shutil.which("c++filt")
    if program is not None:
        try:
            ended = subprocess.run(
                [program, "--", name], capture_output=True, text=True, timeout=_SECONDS, check=False
            )
            if ended.returncode == 0 and ended.stdout.strip():
                return ended.stdout.strip()
        except (OSError, subprocess.SubprocessError):
            pass
    match = _PLAIN.fullmatch(name)
    return match["rest"][: int(match["length"])] if match else name


def _without_arguments(name: str) -> tuple[str, tuple[str, ...]]:
    """The name before its list of arguments, and the arguments; brackets within them count."""
    if not name.endswith(")"):
        return name, ()
    depth = 0
    for at in range(len(name) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(name[at], 0)
        if depth == 0:
            if at == 0 or name[at - 1] in ":<, ":
                return name, ()
            return name[:at].rstrip(), tuple(_split(name[at + 1 : -1]))
    return name, ()


def _split(arguments: str) -> list[str]:
    """The arguments between the commas that stand in no bracket."""
    parts, depth, begin = [], 0, 0
    for at, character in enumerate(arguments):
        depth += {"(": 1, "<": 1, "{": 1, "[": 1, ")": -1, ">": -1, "}": -1, "]": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(arguments[begin:at].strip())
            begin = at + 1
    last = arguments[begin:].strip()
    return [part for part in [*parts, last] if part]


def _without_result(name: str) -> str:
    """The name without the type of the result, which only templates have: `void add<float>`."""
    depth = 0
    for at in range(len(name) - 1, -1, -1):
        depth += {">": 1, ")": 1, "}": 1, "<": -1, "(": -1, "{": -1}.get(name[at], 0)
        if name[at] == " " and depth == 0:
            return name[at + 1 :]
    return name


def shortened(name: str, most: int = 80) -> str:
    """A name for a message: the middle of a long one is left out."""
    if len(name) <= most:
        return name
    kept = (most - 1) // 2
    return f"{name[: most - 1 - kept]}…{name[-kept:]}"
