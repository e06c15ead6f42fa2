"""Where the compiled code finds things: the context of a host thread, a warp's state, a site's counters.

All are tables of 64-bit words in memory that Python allocates and both sides read.
"""

from __future__ import annotations

from enum import IntEnum

WORD = 8
EXITED = 0x7FFFFFFF
AT_BARRIER = 0x40000000
AT_GRID_BARRIER = 0x60000000

# Windows of the generic address space that stand for shared and local memory; host addresses never lie there.
SHARED_WINDOW = 0x7F00_0000_0000_0000
LOCAL_WINDOW = 0x7E00_0000_0000_0000
WINDOW_BITS = 40

# Global memory moves in sectors of 32 bytes.
SECTOR_SHIFT = 5
# A cache line holds four sectors.
LINE_SHIFT = 7
# Neighbouring bytes that one slice of L2 holds, as contended updates show: knowledge/machine/timing.toml.
SLICE_SHIFT = 9

# A thread's local memory lies in granules of eight bytes, those of the 32 lanes side by side.
LOCAL_GRANULE = 8


class Word(IntEnum):
    """A number that compiled code knows; the text of that code has it as digits, in Python 3.10 too."""

    __str__ = int.__repr__


class Context(Word):
    """Words of the context; one for each host thread."""

    PARAMETERS = 0
    SHARED = 1
    SHARED_SIZE = 2
    NTID_X = 3
    NTID_Y = 4
    NTID_Z = 5
    CTAID_X = 6
    CTAID_Y = 7
    CTAID_Z = 8
    NCTAID_X = 9
    NCTAID_Y = 10
    NCTAID_Z = 11
    SITES = 12
    BLOCK_RUNS = 13
    BLOCK_LANES = 14
    BUDGET = 15
    DETAILED = 16
    LOCAL = 17
    LOCAL_SIZE = 18
    EXTENTS = 19
    EXTENT_COUNT = 20
    DEFECTS = 21
    DEFECT_COUNT = 22
    DEFECT_CAPACITY = 23
    ALONE = 24
    BLOCK_NUMBER = 25
    VARIABLES = 26
    BRANCHES = 27
    DYNAMIC_SHARED = 28
    CACHES = 29
    WARPS = 30
    STATES = 31
    STATE_SIZE = 32
    THREADS = 33
    WARP = 34
    SHADOW = 35
    PREFERRED = 36
    CLOCK = 37
    COUNT_SUM = 38
    COUNT_ALL = 39
    COUNT_ANY = 40
    RESULT_SUM = 41
    RESULT_ALL = 42
    RESULT_ANY = 43
    EPOCH = 44
    PROCESSOR = 45
    STOP = 46
    WARP_FUNCTION = 47
    WARP_PROGRESS = 48
    BARRIERS = 49
    SHADOW_BYTES = 50
    SHADOW_SHIFT = 51
    PRINTED = 52
    SLICE = 53
    LEFT = 54
    PROCESSORS = 55
    FIRST_THREAD = 56
    SLICES = 57
    UNSETTLED = 58
    CONTENTS = 59
    # The times of the basic blocks; sums over blocks of all warps' times and of the longest warp's, times the
    # warps.
    BLOCK_SIZES = 60
    WORK_SUM = 61
    WORK_LONGEST = 62
    BLOCK_COUNT = 63
    # The accesses that wait for their caches: table, its length and its size in entries, where the run of the
    # warp began, how many a run may add; and the runs of warps with their number and their most.
    TRACE = 64
    TRACE_LENGTH = 65
    TRACE_CAPACITY = 66
    TRACE_BEGIN = 67
    TRACE_QUOTA = 68
    RUNS = 69
    RUN_COUNT = 70
    RUN_CAPACITY = 71
    # The table of followed elements of global memory, the logarithm of an element's bytes, and whether warps
    # of one block are followed too; contents of elements before a store, and which lanes have kept them.
    ELEMENTS = 72
    ELEMENT_SHIFT = 73
    WARPS_FOLLOWED = 74
    ELEMENT_CONTENTS = 75
    ELEMENTS_UNSETTLED = 76
    # Whether the block changed atomically what another block did, and the access that a defect is noted with.
    MET_ATOMIC = 77
    OTHER_ACCESS = 78
    # How often something was noted that depends on the value of an absent lane.
    ABSENT_LANES_NOTED = 79
    # How often each place of global memory was updated atomically, and how many sectors of each slice of L2;
    # 0 where the kernel has no such operation.
    UPDATES = 80
    SLICE_SECTORS = 81
    # Where products of groups of warps keep their operands, and the boxes that are still to be copied with
    # their number; 0 where the kernel has none.
    GROUPS = 82
    BOXES = 83
    BOX_COUNT = 84
    # Whether a warp has run in this turn of all warps, and the size of the space of parameters.
    RAN = 85
    PARAMETER_BYTES = 86
    # The words of the barriers at which a part of the block meets; 0 where the kernel has none.
    PARTS = 87
    WORDS = 88


# The barriers of a block by number: PTX ISA, "bar".
BARRIERS_OF_BLOCK = 16

# Values of the context's PREFERRED that are no lane: the lanes of the lowest block run, or of the highest.
LOWEST, HIGHEST = -1, -2


class State(Word):
    """Byte offsets in a warp's state; the registers that cross blocks lie behind."""

    COUNTERS = 0
    TID_X = 128
    TID_Y = 256
    TID_Z = 384
    WARP = 512
    WORK = 520
    # The numbers of the oldest copy under way and of the one that begins next.
    COPIES_FIRST = 528
    COPIES_END = 536
    # The address of the barrier in shared memory that the warp waits for, 0 for none, and the parity of the
    # phase whose end it waits for.
    AWAITED = 544
    PARITY = 552
    REGISTERS = 576


class Copies(Word):
    """Byte offsets in the queue of a warp's copies under way: the groups that each lane closed, then a
    ring of so many entries.
    """

    GROUPS = 0
    ENTRIES = 128
    CAPACITY = 64


class Copy(Word):
    """Byte offsets in the entry of a copy: where lanes copy to, their groups, the data, and what is left."""

    ADDRESSES = 0
    GROUPS = 256
    DATA = 384
    LANES = 896
    SIZE = 904
    SITE = 912
    BYTES = 960


class Box(Word):
    """Byte offsets in the entry of a box that is still to be copied, behind its tensor map: the first element
    by axis, where it goes in shared memory, its barrier, and whether it lies well; there are CAPACITY ones.
    """

    BEGIN = 128
    PLACE = 152
    BARRIER = 160
    GOOD = 168
    BYTES = 192
    CAPACITY = 64


class GroupScratch(Word):
    """Byte offsets in the memory of products of warp groups: sums, A by lanes, B, registers of A."""

    SUMS = 0
    LEFT = 16_384
    RIGHT = 24_576
    ROWS = 57_344
    BYTES = 57_856


# The least and the most of no numbers.
NO_RANGE = ((1 << 63) - 1, -(1 << 63))


class Site(Word):
    """Words of the record of a memory access; one record for each site and host thread."""

    LOW = 0
    HIGH = 1
    SECTORS = 2
    IDEAL = 3
    WAVEFRONTS = 4
    SLOW_REQUESTS = 5
    REQUESTS = 6
    LANES = 7
    DISTINCT = 8
    MOST_SAME = 9
    L1_SECTORS = 10
    L1_HITS = 11
    L2_SECTORS = 12
    L2_HITS = 13
    DESCRIPTION = 14
    NUMBER = 15
    # The address of the map of touched sectors, less the buffer's first sector: one byte for each sector.
    TOUCHED = 16
    # Bytes from the address of lane 0 to that of lane 1, the least and the most of the slow requests.
    STEP_LOW = 17
    STEP_HIGH = 18
    # Requests of loads that asked the L1, of these the ones that waited for the L2, and for DRAM.
    LOOKED_UP = 19
    PAST_L1 = 20
    PAST_L2 = 21
    # What is added to an address for its place in the tables of updates.
    PLACED = 22
    # In blocks that are looked at closely: what is added to an address for its byte in the map of bytes that
    # threads use; 0 without one.
    USED = 23
    # The wavefronts that the requests would take if no two lanes met in a bank.
    IDEAL_WAVEFRONTS = 24
    # The cache lines of 128 bytes that the requests reach.
    LINES = 25
    # Passes through the banks that the loads take which asked the L1.
    L1_WAVEFRONTS = 26
    # Whether a load's element is afterwards compared and changed atomically by the same warp, and how many
    # races in global memory were noted.
    COMPARED_LATER = 27
    RACES = 28
    # Where a buffer has sectors that nobody has written: what is added to a sector's number to find its byte
    # in the map of written sectors, and in that of this launch's stores (0 for atomic operations, which store
    # what they read); and how many such reads were noted.
    WRITTEN = 29
    STORED = 30
    UNWRITTEN_READS = 31
    WORDS = 32


class Space(Word):
    """Spaces as the description of a site tells them, in bits 8 to 11; its size is in bits 0 to 7."""

    GLOBAL = 0
    SHARED = 1
    LOCAL = 2
    GENERIC = 3
    CONSTANT = 4


WRITES = 1 << 12
ATOMIC = 1 << 13
FIXED_BOUNDS = 1 << 14
# The access is followed where races in global memory are looked for.
FOLLOWED = 1 << 15
# What is stored is one value for the whole launch.
ONE_VALUE = 1 << 16
# An atomic operation that keeps what it finds under some condition: cas, min, max, and, or.
COMPARES = 1 << 17


class Status(Word):
    """What the driver function answers."""

    DONE = 0
    BUDGET = 1
    STOPPED = 2
    AT_GRID_BARRIER = 3
    # The block has not ended: its accesses wait for the caches and need their room.
    TRACE_FULL = 4


class TraceEntry(Word):
    """Where the parts of a trace's entry begin, in bits: one line of a request, its sectors as four bits."""

    LINE = 0
    SECTORS = 30
    FIRST = 34
    SITE = 35


class WarpRun(Word):
    """Words of a run of a warp: its block, the barriers that the block has passed, and its first entry."""

    BLOCK = 0
    EPOCH = 1
    WARP = 2
    BEGIN = 3
    WORDS = 4


class Extent(Word):
    """Words of an entry in the table of buffers: begin, end, and its two maps of touched sectors."""

    LOW = 0
    HIGH = 1
    LOADED = 2
    STORED = 3
    WORDS = 4


class Defect(Word):
    """Kinds of defects that the machine sees."""

    OUT_OF_BOUNDS = 1
    MISALIGNED = 2
    RACE = 3
    UNINITIALISED = 4
    BARRIER = 5
    TRAP = 6
    INDEX_OVERFLOW = 7
    RACE_OF_BLOCKS = 8
    RACE_OF_WARPS = 9
    ATOMIC_BESIDE_BLOCK = 10
    ATOMIC_BESIDE_WARP = 11
    UNFENCED = 12
    UNWRITTEN = 13
    OUTSIDE_MASK = 14
    ABSENT_LANE = 15


class DefectWord(Word):
    """Words of a defect's record."""

    KIND = 0
    SITE = 1
    BLOCK = 2
    THREAD = 3
    ADDRESS = 4
    OTHER = 5
    WORDS = 8
