"""Builds SQLite exports of Nsight Systems by the schema of its documentation, of two versions."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

THREAD = (0x1234 << 24) | 7
PROCESS = 0x1234 << 24
US = 1_000


class Export:
    """A run that begins at 1 ms; times are in microseconds from there."""

    def __init__(self, path: Path, *, old: bool = False) -> None:
        self.path, self.old, self._texts = path, old, dict[str, int]()
        self.calls: list[tuple[float, float, str, int, int]] = []
        self.kernels: list[tuple[float, float, str, tuple[int, ...], tuple[int, ...], int]] = []
        self.copies: list[tuple[float, float, int, int, int, int]] = []
        self.fills: list[tuple[float, float]] = []
        self.ranges: list[tuple[float, float, str, int]] = []

    def call(self, start: float, end: float, name: str, correlation: int = 0, thread: int = THREAD) -> None:
        self.calls.append((start, end, name, correlation, thread))

    def kernel(
        self,
        start: float,
        end: float,
        name: str,
        grid: Sequence[int],
        block: Sequence[int],
        correlation: int = 0,
    ) -> None:
        self.kernels.append((start, end, name, tuple(grid), tuple(block), correlation))

    def copy(self, start: float, end: float, kind: int, source: int, target: int, size: int = 4096) -> None:
        self.copies.append((start, end, kind, source, target, size))

    def text(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts) + 1)

    def write(self) -> Path:
        with closing(sqlite3.connect(self.path)) as to, to:
            self._kernels(to)
            self._copies(to)
            self._host(to)
            to.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL)")
            to.executemany("INSERT INTO StringIds VALUES (?, ?)", [(n, t) for t, n in self._texts.items()])
            if not self.old:
                to.execute(
                    "CREATE TABLE TARGET_INFO_GPU "
                    "(id INTEGER, name TEXT, smCount INTEGER, computeMajor INTEGER, computeMinor INTEGER)"
                )
                to.execute("INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H200', 132, 9, 0)")
                to.execute("CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT)")
                to.execute("INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2025.1.1')")
        return self.path

    def _kernels(self, to: sqlite3.Connection) -> None:
        if not self.kernels:
            return
        shape = "gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT"
        more = "" if self.old else ", registersPerThread INT, staticSharedMemory INT, dynamicSharedMemory INT"
        to.execute(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, correlationId INT, "
            f"globalPid INT, demangledName INT, shortName INT, {shape}{more})"
        )
        for start, end, name, grid, block, correlation in self.kernels:
            times = (
                at(start),
                at(end),
                0,
                correlation,
                PROCESS,
                self.text(name),
                self.text(name.split("(")[0]),
            )
            row = (*times, *grid, *block, *(() if self.old else (40, 1024, 2048)))
            to.execute(f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({marks(row)})", row)

    def _copies(self, to: sqlite3.Connection) -> None:
        if self.copies:
            kinds = "" if self.old else ", srcKind INT, dstKind INT"
            to.execute(
                "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY "
                f"(start INT, end INT, deviceId INT, bytes INT, copyKind INT{kinds})"
            )
        for start, end, kind, source, target, size in self.copies:
            row = (at(start), at(end), 0, size, kind, *(() if self.old else (source, target)))
            to.execute(f"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES ({marks(row)})", row)
        if self.fills:
            to.execute(
                "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT, end INT, deviceId INT, bytes INT)"
            )
        for start, end in self.fills:
            to.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (?, ?, 0, 64)", (at(start), at(end)))

    def _host(self, to: sqlite3.Connection) -> None:
        if self.calls:
            to.execute(
                "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME "
                "(start INT, end INT, globalTid INT, correlationId INT, nameId INT)"
            )
        for start, end, name, correlation, thread in self.calls:
            row = (at(start), at(end), thread, correlation, self.text(name))
            to.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, ?)", row)
        if self.ranges:
            to.execute(
                "CREATE TABLE NVTX_EVENTS "
                "(start INT, end INT, eventType INT, text TEXT, textId INT, globalTid INT, endGlobalTid INT)"
            )
        for number, (start, end, name, thread) in enumerate(self.ranges):
            text, text_id = (name, None) if number % 2 else (None, self.text(name))
            row = (at(start), at(end), 59, text, text_id, thread, None)
            to.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, ?, ?, ?, ?, ?)", row)


def at(microseconds: float) -> int:
    return round(1_000_000 + microseconds * US)


def marks(row: Sequence[object]) -> str:
    return ", ".join("?" * len(row))


def launch_bound_run(path: Path, launch: str = "cuLaunchKernel", *, old: bool = False) -> Path:
    """A run of 1,000 us: six launches of 120 us each by the host, for six kernels of 10 us.

    100 us of copies to the device, half of them from pageable memory, and 50 us back.
    """
    export = Export(path, old=old)
    export.call(0, 40, "cuMemAlloc_v2" if launch.startswith("cu") and "cuda" not in launch else "cudaMalloc")
    export.copy(40, 90, 1, 0, 2, 1_000_000)
    export.copy(90, 140, 1, 1, 2, 1_000_000)
    for number in range(6):
        start = 140 + 120 * number
        export.call(start, start + 120, launch, 10 + number)
        name = "axpy(float, float *)" if number < 4 else "norm(float *)"
        export.kernel(start + 115, start + 125, name, (64, 1, 1), (128, 1, 1), 10 + number)
    export.call(860, 950, "cuCtxSynchronize" if "cuda" not in launch else "cudaDeviceSynchronize")
    export.copy(950, 1000, 2, 2, 1, 500_000)
    export.ranges = [
        (130, 400, "step, op_id = 7", THREAD),
        (130, 700, "epoch", THREAD),
        (0, 1000, "other", THREAD + 1),
    ]
    return export.write()
