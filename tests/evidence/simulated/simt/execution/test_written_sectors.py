"""Which sectors of a buffer were written, against a byte map."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.evidence.simulated.simt.device_memory import DeviceMemory


@given(
    size=st.integers(1, 600),
    writes=st.lists(st.tuples(st.integers(0, 599), st.integers(0, 200)), max_size=6),
)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_sector_is_written_as_soon_as_one_of_its_bytes_is(size, writes):
    memory = DeviceMemory()
    begin = memory.allocate(size, empty=True)
    sectors = -(-size // 32)
    expected = np.zeros(sectors * 32, bool)
    for offset, length in writes:
        offset = min(offset, size - 1)
        length = min(length, size - offset)
        memory.note_written(begin + offset, length)
        expected[offset : offset + length] = True
    by_sector = expected.reshape(sectors, 32).any(axis=1)
    found = memory.written.of(begin)
    assert by_sector.all() if found is None else np.array_equal(found.astype(bool), by_sector)


def test_a_buffer_with_content_or_a_freed_one_is_not_followed():
    memory = DeviceMemory()
    full, empty = memory.allocate(64), memory.allocate(64, empty=True)
    assert memory.written.of(full) is None
    assert memory.written.of(empty) is not None
    memory.free(empty)
    assert memory.written.of(empty) is None


def test_nothing_is_known_once_a_launch_did_not_end():
    memory = DeviceMemory()
    empty = memory.allocate(64, empty=True)
    memory.written.forget()
    assert memory.written.of(empty) is None


@given(
    size=st.integers(1, 600),
    writes=st.lists(st.tuples(st.integers(0, 599), st.integers(0, 200)), max_size=6),
    part=st.tuples(st.integers(0, 599), st.integers(0, 600)),
)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_unwritten_bytes_of_a_part(size, writes, part):
    """Those of the sectors in which nothing was written, cut off at the ends of the part."""
    memory = DeviceMemory()
    begin = memory.allocate(size, empty=True)
    memory.note_used(begin, "the last launch")
    written = np.zeros(size, bool)
    for offset, length in writes:
        offset = min(offset, size - 1)
        length = min(length, size - offset)
        memory.note_written(begin + offset, length)
        for sector in {place // 32 for place in range(offset, offset + length)}:
            written[sector * 32 : sector * 32 + 32] = True
    offset = min(part[0], size - 1)
    empty = np.flatnonzero(~written[offset : offset + part[1]])
    found = memory.unwritten(begin + offset, min(part[1], size - offset))
    expected = (len(empty), empty[0], "the last launch") if len(empty) else None
    assert found == expected


def test_who_used_a_buffer_is_forgotten_with_it():
    memory = DeviceMemory()
    begin = memory.allocate(64, empty=True)
    memory.note_used(begin + 32, "one")
    assert memory.unwritten(begin, 64) == (64, 0, "one")
    memory.written.end(begin)
    memory.written.begin(begin, 64)
    assert memory.unwritten(begin, 64) == (64, 0, None)
