"""Machine code on disk: the same results and counts, made again when it is damaged or for another text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numba import cuda, float32

from advisor.evidence.simulated.simt import machine
from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.vector import kernels, runtime
from advisor.evidence.simulated.simt.vector.layout import Site, Space
from advisor.model.storage.cache import Cache

COUNTS = [Site.SECTORS, Site.IDEAL, Site.WAVEFRONTS, Site.LANES]

PTX = """
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 offset = 5;
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<6>;
    .shared .align 4 .b8 tile[128];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd1, %r0, 4;
    mov.u64 %rd2, tile;
    add.s64 %rd2, %rd2, %rd1;
    st.shared.u32 [%rd2], %r0;
    bar.sync 0;
    ld.shared.u32 %r1, [%rd2];
    ld.global.u32 %r2, [offset];
    add.u32 %r1, %r1, %r2;
    ld.param.u64 %rd3, [p];
    add.s64 %rd3, %rd3, %rd1;
    st.global.u32 [%rd3], %r1;
    ret;
}
"""


@pytest.fixture
def translations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kernels that were translated, rather than taken from the disk."""
    seen: list[str] = []
    translate = kernels.translate

    def noted(module, function):
        seen.append(function.name)
        return translate(module, function)

    monkeypatch.setattr(kernels, "translate", noted)
    return seen


def launched(text: str, cache: Cache) -> tuple[list[int], machine.Execution]:
    kernel = machine.compile_kernel(read_ptx(text), "k", cache)
    memory = DeviceMemory()
    address = memory.upload(np.zeros(32, np.uint32))
    space = pack_parameters(kernel.function, [address.to_bytes(8, "little")])
    execution = machine.run(kernel, Launch((1, 1, 1), (32, 1, 1), space), memory)
    found = np.zeros(32, np.uint32)
    memory.download(address, found)
    return found.tolist(), execution


def test_the_second_time_nothing_is_translated(tmp_path: Path, translations: list[str]) -> None:
    first, counted = launched(PTX, Cache(tmp_path))
    again, counted_again = launched(PTX, Cache(tmp_path))
    assert translations == ["k"]
    assert first == again == [lane + 5 for lane in range(32)]
    assert counted.sites[:, COUNTS].tolist() == counted_again.sites[:, COUNTS].tolist()
    assert counted.block_lanes.tolist() == counted_again.block_lanes.tolist()
    assert counted.stored_sectors == counted_again.stored_sectors == 4


def test_another_text_is_translated(tmp_path: Path, translations: list[str]) -> None:
    launched(PTX, Cache(tmp_path))
    other, _ = launched(PTX.replace("offset = 5", "offset = 6"), Cache(tmp_path))
    assert translations == ["k", "k"]
    assert other == [lane + 6 for lane in range(32)]


@pytest.mark.parametrize("value", [None, [], {"code": 5}, {"code": "AA==", "facts": {}}, {"facts": None}])
def test_damaged_entries_are_made_anew(tmp_path: Path, translations: list[str], value: object) -> None:
    class Damaged(Cache):
        def get_many(self, keys):
            return dict.fromkeys(keys, value)

    runtime.runtime()
    found, _ = launched(PTX, Damaged(tmp_path))
    assert translations == ["k"]
    assert found == [lane + 5 for lane in range(32)]


def test_code_that_differs_from_what_was_stored_is_made_anew(tmp_path: Path, translations: list[str]) -> None:
    class Changed(Cache):
        def get_many(self, keys):
            return {key: known | {"code": "AA=="} for key, known in super().get_many(keys).items()}

    launched(PTX, Cache(tmp_path))
    found, _ = launched(PTX, Changed(tmp_path))
    assert translations == ["k", "k"]
    assert found == [lane + 5 for lane in range(32)]


def test_a_file_that_is_no_store_changes_nothing(tmp_path: Path, translations: list[str]) -> None:
    launched(PTX, Cache(tmp_path))
    for file in tmp_path.glob("results*"):
        file.write_bytes(b"no database" * 100)
    found, _ = launched(PTX, Cache(tmp_path))
    assert translations == ["k", "k"]
    assert found == [lane + 5 for lane in range(32)]


def test_numbas_kernels_come_back_with_their_lines(tmp_path: Path, translations: list[str]) -> None:
    def scale(values):
        i = cuda.grid(1)
        if i < values.size:
            values[i] *= 2

    text, _ = cuda.compile_ptx(scale, (float32[::1],), cc=(8, 0), lineinfo=True)
    (name,) = (name for name, one in read_ptx(text).functions.items() if one.entry)
    first, second = (machine.compile_kernel(read_ptx(text), name, Cache(tmp_path)) for _ in range(2))
    assert translations == [name]
    assert first.warp == second.warp
    assert {access.root for access in second.warp.accesses.values()} != {None}


def test_a_kernel_that_has_only_moved_is_not_translated(tmp_path: Path, translations: list[str]) -> None:
    def placed(folder: str, line: int) -> str:
        text = PTX.replace("    st.global.u32", f"    .loc 1 {line} 3\n    st.global.u32")
        return f'{text}\n    .file 1 "{folder}/k.py"\n'

    launched(placed("/one", 7), Cache(tmp_path))
    moved = machine.compile_kernel(read_ptx(placed("/two", 9)), "k", Cache(tmp_path))
    assert translations == ["k"]
    (at,) = (
        one.instruction for one in moved.warp.accesses.values() if one.writes and one.space == Space.GLOBAL
    )
    place = moved.function.instructions[at].location
    assert place is not None and (place.file, place.line) == ("/two/k.py", 9)
