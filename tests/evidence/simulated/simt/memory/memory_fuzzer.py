"""Runs random kernels of memory accesses between guard pages and compares them with an oracle.

    python tests/evidence/simulated/simt/memory/memory_fuzzer.py [--seconds S] [--kernels N] [--seed K]

Prints a line of JSON before each kernel, so that a crash has a name, and one with the totals at the end.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[number]) for number in (0, 1, 5)]

from guarded_memory import GuardedMemory, guarded
from memory_oracle import LOCAL_WINDOW, SHARED_WINDOW, WRAP, Oracle, Outcome, World
from memory_programs import ARRAYS, Access, Program, random_program

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import ArrayArgument, Launch, pack_parameters
from advisor.evidence.simulated.simt.machine import (
    CacheSizes,
    Execution,
    Kernel,
    Settings,
    compile_kernel,
    run,
)
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.vector.layout import Defect

LAUNCHES = 3
# So many kernels run whatever the time; the first one waits until the machine's own routines are compiled.
FEWEST = 5
_MANY = 1 << 14
_CACHES = CacheSizes(l1=1 << 12, l2=1 << 14, processors=3)
WAYS = {
    "fast": Settings(most_defects=_MANY),
    "detailed": Settings(most_defects=_MANY, detailed_lanes=1 << 60, caches=_CACHES),
    "two threads": Settings(most_defects=_MANY, threads=2),
}


class Mismatch(Exception):
    """The machine and the oracle differ."""


class Setting:
    """Buffers, parameters and data of one launch of a program, good and bad addresses among them."""

    def __init__(self, program: Program, draw: random.Random) -> None:
        self.program, self.draw = program, draw
        self.memory = DeviceMemory()
        self.grid, self.block = draw.choice([1, 2, 3]), draw.choice([1, 5, 31, 32, 33, 64, 70])
        threads = self.grid * self.block
        # The rest of the word around a single byte may be read: what is there the oracle does not know.
        least = 4 if any(access.size == 4 for access in program.accesses) else 1
        sizes = [draw.choice([least, 8, 20, 32, 100, 256, 1000, 4096]) for _ in range(ARRAYS)]
        self.arrays = [self._buffer(draw.randbytes(size)) for size in sizes]
        freed = self._buffer(bytes(64))
        self.memory.free(freed)
        count = len(program.accesses)
        self.data = data = self.memory.allocate(max(1, 8 * count * threads))
        results = self.memory.allocate(8 * threads)
        self.wild = [freed, 0, 8, 1 << 40, 1 << 63, WRAP - 8, WRAP - 16, WRAP - 256, data, results]
        self.wild += [
            SHARED_WINDOW,
            LOCAL_WINDOW,
            SHARED_WINDOW - 8,
            LOCAL_WINDOW + 8,
            SHARED_WINDOW + (1 << 40),
        ]
        self.pointers = [self._pointer(number) for number in range(ARRAYS)]
        self.bounds = self._bounds()
        words = [self._words(access, threads) for access in program.accesses]
        content = b"".join(
            column[thread].to_bytes(8, "little") for thread in range(threads) for column in words
        )
        self.memory.view(data, len(content))[:] = bytearray(content)
        uniform = [column[0] for column in words]
        self.parameters = [*self.pointers, data, results, *uniform]

    def _buffer(self, content: bytes) -> int:
        address = self.memory.allocate(len(content))
        self.memory.view(address, len(content))[:] = bytearray(content)
        return address

    def _pointer(self, number: int) -> int:
        """The array's begin as a rule, else a place inside, its end, or a wild address."""
        address = self.arrays[number]
        size = self.memory.size_of(address)
        return self.draw.choice(
            [address] * 8 + [address + size, address + size // 2, self.draw.choice(self.wild)]
        )

    def _bounds(self) -> dict[int, tuple[int, int]]:
        """Bounds of some arrays, as the driver tells them: of a view, and also beyond the buffer."""
        found = {}
        for number, pointer in enumerate(self.pointers):
            if self.draw.random() < 0.4 and pointer < 1 << 62:
                low = max(0, pointer - self.draw.choice([0, 0, 16, 1 << 20]))
                found[number] = low, pointer + self.draw.choice([0, 16, 64, 1 << 20])
        return found

    def _words(self, access: Access, threads: int) -> list[int]:
        """The word of each thread for an access: address or offset, and in its top bits guard and choice."""
        draw = self.draw
        start, step = self._offset(access), access.size * draw.choice([0, 1, 1, 1, 2, 9])
        manner = draw.choice(["row", "row", "random", "random", "mixed"])
        words = []
        for thread in range(threads):
            offset = start + step * thread
            if manner == "random" or (manner == "mixed" and draw.random() < 0.2):
                offset = self._offset(access)
            if access.origin == "data":
                base = draw.choice([*self.arrays, self.arrays[0], draw.choice(self.wild)])
                words.append((base + offset) % WRAP)
                continue
            bits = draw.choice([0, 0, 1]) << 62 | draw.choice([0, 1]) << 63
            words.append(offset & (1 << 62) - 1 | bits)
        return words

    def _offset(self, access: Access) -> int:
        """An offset that makes a good address as a rule."""
        draw = self.draw
        good = draw.choice([0, 16, 64, 256]) + access.size * draw.randrange(0, 9) - access.offset
        beside = draw.choice([-1, 1, -access.size, 3, 4095, 4096, -4096, 1 << 31, 1 << 32, 1 << 52])
        other = draw.choice(self.arrays) - draw.choice(self.arrays)
        # With an array's begin these wrap round 2^64, or end there.
        round_about = -draw.choice(self.arrays) - draw.choice([0, 1, 8, 16, 256])
        return draw.choice([good] * 7 + [beside, other, round_about])

    def launch(self, kernel: Kernel) -> Launch:
        """The launch of the kernel."""
        values = [(value % WRAP).to_bytes(8, "little") for value in self.parameters]
        arrays = tuple(
            ArrayArgument(f"p{number}", number, low, high) for number, (low, high) in self.bounds.items()
        )
        return Launch(
            (self.grid, 1, 1), (self.block, 1, 1), pack_parameters(kernel.function, values), arrays=arrays
        )

    def contents(self) -> dict[int, bytes]:
        """The bytes of each buffer by its address."""
        return {one.begin: one.content[: one.end - one.begin].tobytes() for one in self.memory.buffers()}

    def restore(self, contents: dict[int, bytes]) -> None:
        """Give the buffers the bytes that they had."""
        for address, content in contents.items():
            self.memory.view(address, len(content))[:] = bytearray(content)


def check(seed: int, memory: GuardedMemory, optimised: bool = False) -> int:
    """The number of launches of the kernel of a seed; raises Mismatch where one differs from the oracle."""
    draw = random.Random(seed)
    program = random_program(draw)
    kernel = compile_kernel(read_ptx(program.ptx()), "k")
    if optimised:
        kernel.optimise()
    for _ in range(LAUNCHES):
        setting = Setting(program, draw)
        before = setting.contents()
        world = World({at: bytearray(one) for at, one in before.items()}, setting.parameters, setting.bounds)
        expected = Oracle(program, world, setting.grid, setting.block).run()
        for way, settings in WAYS.items():
            setting.restore(before)
            execution = run(kernel, setting.launch(kernel), setting.memory, settings)
            # Blocks that run side by side may find the words of data changed or not.
            if settings.threads == 1 or world.buffers[setting.data] == before[setting.data]:
                _compare(way, execution, expected)
            if settings.threads == 1 and setting.contents() != world.buffers:
                raise Mismatch(f"{way}: the buffers differ")
        if memory.violations():
            raise Mismatch("bytes beside an array were written")
    return LAUNCHES * len(WAYS)


def _compare(way: str, execution: Execution, expected: Outcome) -> None:
    kinds = [one.kind for one in execution.defects]
    found: dict[str, Any] = {
        "outside": kinds.count(Defect.OUT_OF_BOUNDS),
        "crooked": kinds.count(Defect.MISALIGNED),
        "loaded": execution.loaded_sectors,
        "stored": execution.stored_sectors,
    }
    wanted = {
        "outside": expected.outside,
        "crooked": expected.crooked,
        "loaded": len(expected.loaded),
        "stored": len(expected.stored),
    }
    if found != wanted:
        raise Mismatch(f"{way}: {found}, expected {wanted}")


def main() -> int:
    """1 when a kernel differs from the oracle, else 0."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--kernels", type=int, default=1 << 30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="print the text of the kernel of the seed")
    parser.add_argument("--optimised", action="store_true", help="run optimised code")
    given = parser.parse_args()
    if given.show:
        print(random_program(random.Random(given.seed)).ptx())
        return 0
    end = time.monotonic() + given.seconds
    kernels = launches = 0
    with guarded() as memory:
        while kernels < given.kernels and (kernels < FEWEST or time.monotonic() < end):
            seed = given.seed + kernels
            print(json.dumps({"seed": seed}), flush=True)
            try:
                launches += check(seed, memory, given.optimised)
            except Mismatch as problem:
                print(json.dumps({"seed": seed, "problem": str(problem)}), flush=True)
                return 1
            kernels += 1
    print(json.dumps({"kernels": kernels, "launches": launches}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
