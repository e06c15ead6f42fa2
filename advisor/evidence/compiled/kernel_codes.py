"""Keeps the PTX of compiled kernels for those who execute it: compressed, on disk where there is a folder."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

from advisor.model.compilation_unit import CompilationUnit
from advisor.model.machine_code.kernel_code import KernelCode, ParameterSlot
from advisor.model.storage.cache import Cache

Json = dict[str, Any]

_MOST = 1_000
_OTHER_TYPES = "Types that are assumed were also taken to be ({})."


class KernelCodes:
    """The code to execute of kernels by the keys of `code_keys`; with a `folder` on disk, else in memory.

    A text of PTX has up to a megabyte, a tenth of that when it is compressed. Any thread may ask.
    """

    def __init__(self, folder: Path | None) -> None:
        self._disk = Cache(folder / "ptx", _MOST) if folder is not None else None
        self._memory: dict[str, str] = {}

    def keep(self, key: str, codes: list[Json]) -> None:
        """Keep the answer of a compiler's process."""
        packed = base64.b64encode(zlib.compress(json.dumps(codes).encode(), 6)).decode()
        if self._disk is None:
            self._memory[key] = packed
        else:
            self._disk.put_many({key: packed})

    def has(self, key: str) -> bool:
        """Whether anything is kept under a key."""
        return self.packed(key) is not None

    def of(self, key: str, unit: CompilationUnit) -> tuple[KernelCode, ...] | None:
        """The code of a unit for the typing that was taken, and for another one where types are assumed. Of a
        unit with guesses all but the first are with other values, and a third is for the typing taken.

        Empty where it has none that can be executed here, None where nothing is kept.
        """
        packed = self.packed(key)
        return None if packed is None else unpacked(packed, unit)

    def packed(self, key: str) -> str | None:
        """What is kept under a key, as text that travels."""
        return self._memory.get(key) if self._disk is None else self._disk.get_many([key]).get(key)


def unpacked(packed: str, unit: CompilationUnit) -> tuple[KernelCode, ...] | None:
    """The code in a text of `KernelCodes.packed`, as `KernelCodes.of` gives it; None for other text."""
    try:
        codes = json.loads(zlib.decompress(base64.b64decode(packed)))
        return tuple(_code(unit, one) for one in codes)
    except (KeyError, TypeError, ValueError, zlib.error):
        return None


def _code(unit: CompilationUnit, kept: Json) -> KernelCode:
    types = tuple(kept["types"])
    slots = tuple(ParameterSlot(*slot) for slot in kept["slots"])
    taken = next((one for one in unit.candidates if one.types == types), None)
    assumptions = taken.assumptions if taken is not None else (_OTHER_TYPES.format(", ".join(types)),)
    return KernelCode(unit.kernel, kept["ptx"], kept["entry"], slots, types, assumptions)
