"""An oracle for kernels of memory accesses: warp after warp, lane after lane, on bytes.

An access that is not allowed reads 0 and writes nothing. Shares no code with the machine.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from memory_programs import ARRAYS, Access, Program

SHARED_WINDOW = 0x7F00_0000_0000_0000
LOCAL_WINDOW = 0x7E00_0000_0000_0000
WRAP = 1 << 64
WARP = 32


@dataclass
class World:
    """What a launch works on: buffers by address, the parameters, and the bounds that some arrays have."""

    buffers: dict[int, bytearray]
    parameters: list[int]
    bounds: dict[int, tuple[int, int]] = field(default_factory=dict)

    def buffer_at(self, address: int) -> int | None:
        """Where the buffer begins that holds an address or ends at it."""
        return next((at for at, held in self.buffers.items() if at <= address <= at + len(held)), None)


@dataclass
class Outcome:
    """What the oracle counted: accesses outside of bounds and misaligned ones, and sectors by number."""

    outside: int = 0
    crooked: int = 0
    loaded: set[int] = field(default_factory=set)
    stored: set[int] = field(default_factory=set)


class Oracle:
    """Runs a program on a world."""

    def __init__(self, program: Program, world: World, grid: int, block: int) -> None:
        self.program, self.world, self.grid, self.block = program, world, grid, block
        self.found = Outcome()
        size = program.local if program.uses("own") else 0
        self.own = {lane: bytearray(size) for lane in range(block)}

    def run(self) -> Outcome:
        """What was counted; the buffers hold what the kernel wrote."""
        for block in range(self.grid):
            self.tile = bytearray(self.program.shared if self.program.uses("tile") else 0)
            warps = [_Warp(self, block, first) for first in range(0, self.block, WARP)]
            for warp in warps:
                warp.read_data()
            for warp in warps:
                warp.fill()
            for begin, end in self._phases():
                for warp in warps:
                    warp.run(begin, end)
            for warp in warps:
                warp.add_own_memory()
            for warp in warps:
                warp.write_results()
        return self.found

    def _phases(self) -> list[tuple[int, int]]:
        """Ranges of accesses between barriers."""
        accesses = self.program.accesses
        ends = [n + 1 for n, access in enumerate(accesses) if access.barrier]
        return list(zip([0, *ends], [*ends, len(accesses)], strict=True))

    def memory_of(self, n: int, access: Access, address: int, own: bytearray) -> tuple[bytearray, int] | None:
        """The bytes that an access of one lane goes to and where, None where it is not allowed."""
        size = access.size
        parameter = int(access.places[0]) if access.origin == "array" else ARRAYS + 2 + n
        rooted = access.origin == "array" or access.is_pointer_parameter
        pointer = parameter if rooted else None
        if access.space in ("shared", "local"):
            held, window = (self.tile, SHARED_WINDOW) if access.space == "shared" else (own, LOCAL_WINDOW)
            address = address if address >> 63 else address & ~window
            return (held, address) if address + size <= len(held) else None
        if pointer is not None:
            low, high = self._bounds(pointer, self.world.bounds.get(pointer))
            if low is not None:
                return self._within(address, size, low, high)
        elif not access.space:
            for window, held in ((SHARED_WINDOW, self.tile), (LOCAL_WINDOW, own)):
                if 0 <= address - window <= len(held) - size:
                    return held, address - window
        for at, content in self.world.buffers.items():
            if at <= address and address + size <= at + len(content):
                return content, address - at
        return None

    def _bounds(self, parameter: int, array: tuple[int, int] | None) -> tuple[int | None, int]:
        """Where a pointer may be used, None for anywhere: one to no buffer."""
        at = self.world.buffer_at(self.world.parameters[parameter])
        if at is None:
            return (1, 0) if array else (None, 0)
        end = at + len(self.world.buffers[at])
        low, high = array or (at, end)
        return max(low, at), min(high, end)

    def _within(self, address: int, size: int, low: int, high: int) -> tuple[bytearray, int] | None:
        if not (low <= address and address + size <= high):
            return None
        at = self.world.buffer_at(address)
        assert at is not None
        return self.world.buffers[at], address - at


class _Warp:
    def __init__(self, oracle: Oracle, block: int, first: int) -> None:
        self.oracle, self.block = oracle, block
        self.lanes = range(first, min(first + WARP, oracle.block))
        self.sums = dict.fromkeys(self.lanes, 1)
        self.own = oracle.own
        self.data: dict[int, list[int]] = {}

    def run(self, begin: int, end: int) -> None:
        for n in range(begin, end):
            self._access(n, self.oracle.program.accesses[n])

    def fill(self) -> None:
        """Fill the block's memory and that of the threads."""
        for lane in self.lanes:
            if tile := self.oracle.tile:
                at = 8 * lane % len(tile)
                tile[at : at + 8] = lane.to_bytes(8, "little")
            word = lane
            for at in range(0, len(self.own[lane]), 8):
                word = word * 31 % WRAP
                self.own[lane][at : at + 8] = word.to_bytes(8, "little")

    def add_own_memory(self) -> None:
        """Add what these memories hold to the threads' sums."""
        for lane in self.lanes:
            held, tile = self.own[lane], self.oracle.tile
            at = 8 * lane % max(1, len(tile))
            parts = [tile[at : at + 8]] if tile else []
            for part in (*parts, *(held[at : at + 8] for at in range(0, len(held), 8))):
                self.sums[lane] = (self.sums[lane] * 31 + int.from_bytes(part, "little")) % WRAP

    def _thread(self, lane: int) -> int:
        return self.block * self.oracle.block + lane

    def read_data(self) -> None:
        world, accesses = self.oracle.world, self.oracle.program.accesses
        content = world.buffers[world.parameters[ARRAYS]]
        base = world.parameters[ARRAYS] >> 5
        for lane in self.lanes:
            begin = 8 * len(accesses) * self._thread(lane)
            self.data[lane] = []
            for n, access in enumerate(accesses):
                place = begin + 8 * n
                if access.uniform:
                    self.data[lane].append(world.parameters[ARRAYS + 2 + n])
                else:
                    self.data[lane].append(int.from_bytes(content[place : place + 8], "little"))
                    self.oracle.found.loaded.add(base + (place >> 5))

    def write_results(self) -> None:
        world = self.oracle.world
        content = world.buffers[world.parameters[ARRAYS + 1]]
        for lane in self.lanes:
            place = 8 * self._thread(lane)
            content[place : place + 8] = self.sums[lane].to_bytes(8, "little")
            self.oracle.found.stored.add(world.parameters[ARRAYS + 1] + place >> 5)

    def _address(self, access: Access, word: int) -> int:
        offset = (word & (1 << 62) - 1) - (1 << 62 if word >> 61 & 1 else 0)
        if access.origin == "data":
            return word + access.offset & WRAP - 1
        place = access.places[0] if access.origin != "chosen" or word >> 63 else access.places[1]
        if place == "tile":
            base = 0 if access.space else SHARED_WINDOW
        elif place == "own":
            base = 0 if access.space else LOCAL_WINDOW
        else:
            base = self.oracle.world.parameters[int(place)]
        return base + offset + access.offset & WRAP - 1

    def _access(self, n: int, access: Access) -> None:
        allowed: dict[int, tuple[bytearray, int]] = {}
        running = [lane for lane in self.lanes if access.guard == "none" or not self.data[lane][n] >> 62 & 1]
        found = self.oracle.found
        for lane in running:
            address = self._address(access, self.data[lane][n])
            place = self.oracle.memory_of(n, access, address, self.own[lane])
            if place is None:
                found.outside += 1
            elif address % access.size:
                found.crooked += 1
            else:
                allowed[lane] = place
                if place[0] is not self.oracle.tile and place[0] is not self.own[lane]:
                    (found.loaded if access.action == "load" else found.stored).add(address >> 5)
        if access.action == "load":
            self._load(access, running, allowed)
        elif access.action == "store":
            self._store(n, access, allowed)
        else:
            self._atomic(n, access, running, allowed)

    def _load(self, access: Access, running: list[int], allowed: dict[int, tuple[bytearray, int]]) -> None:
        lanes = running if access.guard == "branch" else self.lanes
        values = {}
        for lane in lanes:
            held, at = allowed.get(lane, (bytes(access.size), 0))
            parts = (held[at + n * access.width : at + (n + 1) * access.width] for n in range(access.count))
            values[lane] = [int.from_bytes(part, "little") for part in parts]
        for lane, loaded in values.items():
            for value in loaded:
                self.sums[lane] = (self.sums[lane] * 31 + value) % WRAP

    def _store(self, n: int, access: Access, allowed: dict[int, tuple[bytearray, int]]) -> None:
        for part in range(access.count):
            for lane, (held, at) in allowed.items():
                value = (self.sums[lane] + part * 77 + n) % (1 << 8 * access.width)
                begin = at + part * access.width
                held[begin : begin + access.width] = value.to_bytes(access.width, "little")

    def _atomic(
        self, n: int, access: Access, running: list[int], allowed: dict[int, tuple[bytearray, int]]
    ) -> None:
        width = access.width
        lanes = running if access.guard == "branch" else list(self.lanes)
        for lane in lanes:
            old = 0
            value = (self.sums[lane] + n) % (1 << 8 * width)
            if lane in allowed:
                held, at = allowed[lane]
                old = int.from_bytes(held[at : at + width], "little")
                new = _changed(access.atomic, old, value) % (1 << 8 * width)
                held[at : at + width] = new.to_bytes(width, "little")
            elif lane in running:
                # An atomic operation that is not allowed gives what it was given.
                old = value
            self.sums[lane] = (self.sums[lane] * 31 + old) % WRAP


def _changed(operation: str, old: int, value: int) -> int:
    return {
        "add": old + value,
        "exch": value,
        "min": min(old, value),
        "max": max(old, value),
        "and": old & value,
        "xor": old ^ value,
        "cas": value if old == value else old,
    }[operation]
