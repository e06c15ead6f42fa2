"""Makes one PTX text of several, as a linker makes one program of several modules."""

from __future__ import annotations

import re
from collections.abc import Sequence

from advisor.model.errors import AdvisorError

_NAME = r"[A-Za-z_$%][\w$]*"
_HEADER = re.compile(r"^\s*\.(?:version|target|address_size)\b[^\n]*\n", re.MULTILINE)
_FILE = re.compile(r"(^\s*\.file\s+)(\d+)", re.MULTILINE)
_PLACE = re.compile(r"(^\s*\.loc\s+|\binlined_at\s+)(\d+)", re.MULTILINE)
_LINKAGE = r"(?P<linkage>(?:\.(?:visible|weak|extern|common)\s+)*)"
_FUNCTION = re.compile(
    rf"^{_LINKAGE}\.(?:entry|func)\s*(?:\([^)]*\)\s*)?(?P<name>{_NAME})\s*(?:\([^)]*\))?[^;{{]*(?P<end>[;{{])",
    re.MULTILINE,
)
_ENTRY = re.compile(rf"(\.entry\s+{_NAME}\s*(?:\([^)]*\))?)")
_VARIABLE = re.compile(
    rf"^{_LINKAGE}\.(?:global|const|shared)\s+(?:\.\w+\s+(?:\d+\s+)?)*?(?P<name>{_NAME})(?:\[|\s*[=;])[^;]*;",
    re.MULTILINE,
)


def link_ptx(texts: Sequence[str]) -> str:
    """One PTX text with everything that `texts` define, which refer to each other by name.

    Names that are local to one text stay apart. Raises AdvisorError for no text and for a name that two texts
    define for all.
    """
    if not texts:
        raise AdvisorError("There is no PTX to link.")
    if len(texts) == 1:
        return texts[0]
    parts = [texts[0]]
    taken = _definitions(texts[0])
    for text in texts[1:]:
        text = _with_files_from(_last_file("\n".join(parts)) + 1, _HEADER.sub("", text))
        text = _apart(text, taken)
        taken |= _definitions(text)
        parts.append(text)
    return _without_declarations("\n".join(parts), set(taken))


def bound_registers(ptx: str, most: int) -> str:
    """The text with a bound on the registers of each thread of its kernels."""
    return _ENTRY.sub(rf"\1\n.maxnreg {most}\n", ptx)


def _definitions(text: str) -> dict[str, str]:
    """The names that a text defines, with their linkage."""
    found = [*_FUNCTION.finditer(text), *_VARIABLE.finditer(text)]
    return {one["name"]: one["linkage"].strip() for one in found if _defines(one)}


def _defines(found: re.Match[str]) -> bool:
    return ".extern" not in found["linkage"] and found.groupdict().get("end") != ";"


def _apart(text: str, taken: dict[str, str]) -> str:
    """The text with its own name for what others call the same and is not for all."""
    for name, linkage in _definitions(text).items():
        if name not in taken:
            continue
        if linkage == taken[name] == ".visible":
            raise AdvisorError(f"The function or variable {name} is defined twice in what is linked.")
        fresh = name
        while fresh in taken:
            fresh += "$"
        text = re.sub(rf"(?<![\w$]){re.escape(name)}(?![\w$])", fresh.replace("\\", r"\\"), text)
    return text


def _last_file(text: str) -> int:
    return max((int(found[2]) for found in _FILE.finditer(text)), default=0)


def _with_files_from(first: int, text: str) -> str:
    def shifted(found: re.Match[str]) -> str:
        return f"{found[1]}{int(found[2]) + first}"

    return _PLACE.sub(shifted, _FILE.sub(shifted, text))


def _without_declarations(text: str, defined: set[str]) -> str:
    """The text without declarations of what it defines, and with each other one once."""
    seen: set[str] = set()

    def kept(found: re.Match[str]) -> str:
        if _defines(found):
            return found[0]
        name = found["name"]
        if name in defined or name in seen:
            return ""
        seen.add(name)
        return found[0]

    return _VARIABLE.sub(kept, _FUNCTION.sub(kept, text))
