"""What kernels wrote: the arrays that a launch stored to, copied after it and kept in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from advisor.evidence.simulated.driver.executor import ArgumentNote
from advisor.evidence.simulated.launches.array_types import array_dtype
from advisor.evidence.simulated.launches.outcome import Outcome
from advisor.evidence.simulated.simt.device_memory import DeviceMemory

_INDEX, _ARRAYS = "outputs.json", "arrays.npz"


class OutputKeeper:
    """Copies what launches wrote while a workload runs; `write` puts it into a folder.

    An array is kept under the kernel's name, the number of its launch, and the parameter's name.
    Beyond `most_bytes` nothing more is kept, and the index says so.
    """

    def __init__(self, memory: DeviceMemory, most_bytes: int) -> None:
        self._memory, self._left = memory, most_bytes
        self._launches: dict[str, int] = {}
        self._arrays: dict[str, npt.NDArray[Any]] = {}
        self._whole = True

    def __call__(self, outcome: Outcome) -> None:
        """Keep what one launch wrote."""
        note = outcome.note
        number = self._launches[note.function] = self._launches.get(note.function, 0) + 1
        if outcome.statistics is None:
            self._whole = False
            return
        accesses = outcome.statistics.accesses
        written = {one.array for one in accesses if one.kind != "load" and one.space == "global"}
        for argument in note.arguments:
            # An explicit signature may hide from the machine which array an access is of.
            if (argument.name in written or "" in written) and argument.size is not None:
                self.keep(f"{note.function}:{number}:{argument.name}", self._content(argument))

    def keep(self, name: str, content: npt.NDArray[Any] | None) -> None:
        """Keep one array, of records each field by itself; None is one that cannot be read."""
        if content is not None and content.dtype.names:
            for field in content.dtype.names:
                self.keep(f"{name}.{field}", content[field])
            return
        if content is None or content.nbytes > self._left:
            self._whole = False
            return
        self._left -= content.nbytes
        self._arrays[name] = content

    def miss(self) -> None:
        """Note that something was written that is not kept."""
        self._whole = False

    def keep_result(self, value: Any, name: str = "result") -> None:
        """Keep the arrays and numbers in what a workload returned, also in tuples and dicts."""
        if isinstance(value, dict):
            for key, item in value.items():
                self.keep_result(item, f"{name}[{key!r}]")
        elif isinstance(value, list | tuple):
            for number, item in enumerate(value):
                self.keep_result(item, f"{name}[{number}]")
        elif hasattr(value, "copy_to_host"):
            self.keep(name, value.copy_to_host())
        elif hasattr(value, "__cuda_array_interface__") and hasattr(value, "get"):  # an array of CuPy
            self.keep(name, value.get())
        elif isinstance(value, np.ndarray | np.generic | int | float | complex):
            self.keep(name, np.array(value))

    def write(self, folder: Path) -> None:
        """Put what was kept into a folder."""
        names = {f"a{number}": name for number, name in enumerate(self._arrays)}
        arrays: dict[str, Any] = {short: self._arrays[name] for short, name in names.items()}
        np.savez(folder / _ARRAYS, **arrays)
        index = {"whole": self._whole, "names": names}
        (folder / _INDEX).write_text(json.dumps(index), encoding="utf-8")

    def _content(self, argument: ArgumentNote) -> npt.NDArray[Any] | None:
        """The elements of an array argument in logical order, in whatever order they lie in memory."""
        if argument.dtype is None or argument.shape is None or argument.strides is None:
            return None
        assert argument.address is not None and argument.size is not None
        if any(stride < 0 for stride in argument.strides):
            return None
        try:
            dtype = array_dtype(argument.dtype)
            if dtype is None:
                return None
            data = self._memory.view(argument.address, argument.size)
            shaped = np.ndarray(argument.shape, dtype, data, 0, argument.strides)
        except (KeyError, TypeError, ValueError):
            return None
        return np.array(shaped, order="C", copy=True)


def read_outputs(folder: Path) -> tuple[bool, dict[str, npt.NDArray[Any]]]:
    """Whether everything was kept, and the arrays by name; nothing where a run did not come to its end."""
    if not (folder / _INDEX).is_file():
        return False, {}
    index = json.loads((folder / _INDEX).read_text(encoding="utf-8"))
    with np.load(folder / _ARRAYS) as arrays:
        return index["whole"], {name: arrays[short] for short, name in index["names"].items()}
