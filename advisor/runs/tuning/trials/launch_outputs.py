"""What launches left in their arrays: kept for the present configuration, compared for all others."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from advisor.evidence.simulated.driver.executor import ArgumentNote, LaunchNote
from advisor.evidence.simulated.simt.device_memory import DeviceMemory

_INDEX = "launches.json"


class OutputListener(Protocol):
    """Is shown the arrays of each launch after it has run."""

    def after_launch(self, note: LaunchNote, memory: DeviceMemory) -> None:
        """Look at the arrays that were passed to a launch."""


class OutputKeeper:
    """Keeps the arrays of launches in a folder: the digests of all, the bytes of the first `most_bytes`."""

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder, self._left = folder, most_bytes
        self._launches: list[dict[str, Any]] = []

    def after_launch(self, note: LaunchNote, memory: DeviceMemory) -> None:
        """Keep the arrays of one launch."""
        arrays: list[dict[str, Any]] = []
        for argument in _arrays(note):
            content = _content(argument, memory)
            name = f"{len(self._launches)}-{len(arrays)}.bin"
            kept = len(content) <= self._left
            if kept:
                self._left -= len(content)
                (self._folder / name).write_bytes(content)
            arrays.append({**_described(argument, content), "file": name if kept else None})
        self._launches.append({"kernel": note.function, "arrays": arrays})

    def close(self) -> None:
        """Write the list of what was kept."""
        (self._folder / _INDEX).write_text(json.dumps(self._launches), encoding="utf-8")


class OutputComparer:
    """Compares the arrays of launches with those kept in a folder; `difference` is the first one's text,
    `deviation` the largest relative one, None where something differs that is no deviation of floats.

    Values may deviate by `tolerance` times the largest magnitude in the kept array; 0 compares bits.
    It may be by the names of types, of which those without one must be equal.
    """

    def __init__(self, folder: Path, tolerance: float | Mapping[str, float]) -> None:
        self._folder, self._tolerance = folder, tolerance
        self._launches = json.loads((folder / _INDEX).read_text("utf-8"))
        self._seen = 0
        self.difference = ""
        self.deviation: float | None = 0.0

    def after_launch(self, note: LaunchNote, memory: DeviceMemory) -> None:
        """Compare the arrays of one launch with those of the launch that came as the same one."""
        number, self._seen = self._seen, self._seen + 1
        if self.deviation is None:
            return
        if number >= len(self._launches) or self._launches[number]["kernel"] != note.function:
            self._differs(f"launch {number + 1} is another one", None)
            return
        kept, arrays = self._launches[number]["arrays"], _arrays(note)
        if len(kept) != len(arrays):
            self._differs(f"launch {number + 1} has other arrays", None)
            return
        for before, argument in zip(kept, arrays, strict=True):
            self._compare(before, argument, memory)

    def close(self) -> None:
        """Note launches that are missing."""
        if self._seen < len(self._launches):
            self._differs(f"{self._seen} launches instead of {len(self._launches)}", None)

    def _differs(self, words: str, deviation: float | None) -> None:
        """Note a difference. The first one's words and the largest deviation are kept."""
        self.difference = self.difference or words
        if self.deviation is not None:
            self.deviation = None if deviation is None else max(self.deviation, deviation)

    def _compare(self, before: dict[str, Any], argument: ArgumentNote, memory: DeviceMemory) -> None:
        name, content = argument.name, _content(argument, memory)
        now = _described(argument, content)
        if now["digest"] == before["digest"] and now["shape"] == before["shape"]:
            return
        if (now["shape"], now["dtype"]) != (before["shape"], before["dtype"]):
            self._differs(f"{name} has another shape", None)
        elif before["file"] is None:
            self._differs(f"{name} has other bits, and was too large to be kept for a comparison", None)
        else:
            kept = (self._folder / before["file"]).read_bytes()
            deviation = _deviation(kept, content, before["dtype"])
            if deviation is None:
                self._differs(f"{name} holds other values", None)
            elif deviation == self._allowed(before["dtype"]) == 0.0:
                self._differs(f"{name} has other bits for equal values, as -0.0 and 0.0 have", deviation)
            elif deviation > self._allowed(before["dtype"]):
                self._differs(f"{name} deviates by {deviation:.1e} of its largest value", deviation)

    def _allowed(self, dtype: str | None) -> float:
        if not isinstance(self._tolerance, Mapping):
            return self._tolerance
        return self._tolerance.get(_type(dtype).name, 0.0)


def _type(dtype: str | None) -> np.dtype[Any]:
    """The type of elements; bytes for one that NumPy does not know, as bfloat16."""
    try:
        return np.dtype(dtype) if dtype else np.dtype(np.uint8)
    except TypeError:
        return np.dtype(np.uint8)


def _arrays(note: LaunchNote) -> list[ArgumentNote]:
    return [one for one in note.arguments if one.address is not None and one.size is not None]


def _content(argument: ArgumentNote, memory: DeviceMemory) -> bytes:
    """The bytes from the array's lowest to its last one."""
    assert argument.address is not None and argument.size is not None
    return bytes(memory.view(argument.address, argument.size)) if argument.size else b""


def _described(argument: ArgumentNote, content: bytes) -> dict[str, Any]:
    shape = list(argument.shape) if argument.shape is not None else None
    return {
        "name": argument.name,
        "dtype": argument.dtype,
        "shape": shape,
        "digest": hashlib.sha256(content).hexdigest(),
    }


def _deviation(before: bytes, after: bytes, dtype: str | None) -> float | None:
    """The largest difference relative to the largest magnitude before.

    None where values are no floats, where one is NaN or infinite that was not, and where all were zero.
    """
    kind = _type(dtype)
    if kind.kind not in "fc" or len(before) != len(after) or len(before) % kind.itemsize:
        return None
    old, new = (_wide(np.frombuffer(content, kind)) for content in (before, after))
    finite = np.isfinite(old)
    # NaN and infinities must stay where they are.
    if not np.array_equal(old[~finite], new[~finite], equal_nan=True) or not np.isfinite(new[finite]).all():
        return None
    if not finite.any():
        return 0.0
    largest = float(np.abs(old[finite]).max())
    difference = float(np.abs(new[finite] - old[finite]).max())
    if not largest:
        return None if difference else 0.0
    return difference / largest


def _wide(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return values.astype(np.complex128 if values.dtype.kind == "c" else np.float64)
