"""Random kernels that are nothing but memory accesses, as PTX text; their addresses are made of data."""

from __future__ import annotations

import random
from dataclasses import dataclass

ARRAYS = 4
_ATOMICS = ("add", "exch", "min", "max", "and", "xor", "cas")


@dataclass(frozen=True)
class Access:
    """One access: where its address comes from, the instruction's space, what it does, and its width.

    `origin` is `array` (a parameter), `chosen` (one of two places by a bit of the data), `data` (an address
    that is data), `shared` or `local`; `places` name arrays by number, or the other memories.
    """

    origin: str
    places: tuple[str, ...]
    space: str
    action: str
    width: int
    count: int
    offset: int
    guard: str
    uniform: bool
    atomic: str = ""
    barrier: bool = False

    @property
    def size(self) -> int:
        """The bytes of one lane."""
        return self.width * self.count

    @property
    def is_pointer_parameter(self) -> bool:
        """Whether the address is a parameter as it is, so that the buffer it points to is the one allowed."""
        return self.origin == "data" and self.uniform


@dataclass(frozen=True)
class Program:
    """A kernel: its accesses, and the bytes of shared and local memory that it declares."""

    accesses: tuple[Access, ...]
    shared: int
    local: int

    def uses(self, place: str) -> bool:
        """Whether an access names the block's `tile` or the thread's `own` memory; else it has none."""
        return any(place in access.places for access in self.accesses)

    def ptx(self) -> str:
        """The text of the kernel `k`.

        Its parameters are the arrays, the words of data, the results, and a word for each access.
        """
        count = len(self.accesses)
        names = [f".param .u64 p{n}" for n in range(ARRAYS + 2 + count)]
        lines = [
            ".version 8.0", ".target sm_80", ".address_size 64",
            f".visible .entry k({', '.join(names)})", "{",
            f".shared .align 16 .b8 tile[{self.shared}];", f".local .align 16 .b8 own[{self.local}];",
            ".reg .pred %p<2>;", ".reg .b32 %r<9>;",
            f".reg .b64 %a<{3 * count}>;", f".reg .b64 %y<{count}>;", f".reg .b64 %d<{count}>;",
            f".reg .b64 %q<{ARRAYS + 2}>;", ".reg .b64 %v<9>;", ".reg .b64 %x<20>;", ".reg .b64 %sum;",
            "mov.u32 %r0, %ctaid.x;", "mov.u32 %r1, %ntid.x;", "mov.u32 %r2, %tid.x;",
            "mad.lo.s32 %r3, %r0, %r1, %r2;",
        ]  # fmt: skip
        for n in range(ARRAYS + 2):
            lines += [f"ld.param.u64 %x{n}, [p{n}];", f"cvta.to.global.u64 %q{n}, %x{n};"]
        lines += [
            f"mul.wide.u32 %x7, %r3, {8 * count};", f"add.s64 %x8, %q{ARRAYS}, %x7;", "mov.u64 %sum, 1;",
        ]  # fmt: skip
        for n, access in enumerate(self.accesses):
            source = f"ld.param.u64 %d{n}, [p{ARRAYS + 2 + n}];"
            lines.append(source if access.uniform else f"ld.global.u64 %d{n}, [%x8+{8 * n}];")
        lines += self._own_memory("st")
        for n, access in enumerate(self.accesses):
            lines += self._access(n, access)
        lines += self._own_memory("ld")
        lines += [
            "mul.wide.u32 %x13, %r3, 8;", f"add.s64 %x12, %q{ARRAYS + 1}, %x13;",
            "st.global.u64 [%x12], %sum;", "ret;", "}",
        ]  # fmt: skip
        return "\n".join(lines)

    def _own_memory(self, action: str) -> list[str]:
        """Fill shared and local memory at the begin, and add what they hold to the sum at the end."""
        lines = ["cvt.u64.u32 %x15, %r2;", "bar.sync 0;"]
        if self.uses("tile"):
            lines += ["shl.b64 %x16, %x15, 3;", f"rem.u64 %x16, %x16, {self.shared};", "mov.u64 %x17, tile;"]
            lines += ["add.s64 %x16, %x17, %x16;", *_moved(action, "shared", "[%x16]")]
        if self.uses("own"):
            lines.append("mov.u64 %x18, own;")
            for word in range(self.local // 8):
                lines += ["mul.lo.s64 %x15, %x15, 31;", *_moved(action, "local", f"[%x18+{8 * word}]")]
        return [*lines, "bar.sync 0;"]

    def _access(self, n: int, access: Access) -> list[str]:
        lines = self._address(n, access)
        guard = ""
        if access.guard != "none":
            # A bit that is data says which lanes run the access.
            lines += [f"shr.u64 %x11, %d{n}, 62;", "and.b64 %x11, %x11, 1;", "setp.eq.s64 %p0, %x11, 0;"]
            if access.guard == "branch":
                lines.append(f"@!%p0 bra L{n};")
            else:
                guard = "@%p0 "
        register = f"%d{n}" if access.is_pointer_parameter else f"%y{n}"
        place = f"[{register}+{access.offset}]" if access.offset else f"[{register}]"
        space = f".{access.space}" if access.space else ""
        group = [f"%v{part}" for part in range(access.count)]
        names = group[0] if access.count == 1 else "{" + ", ".join(group) + "}"
        kind = (f".v{access.count}" if access.count > 1 else "") + f".u{8 * access.width}"
        if access.action == "load":
            lines += [f"mov.u64 {one}, 0;" for one in group]
            lines.append(f"{guard}ld{space}{kind} {names}, {place};")
            lines += [
                line
                for one in group
                for line in ("mul.lo.s64 %sum, %sum, 31;", f"add.s64 %sum, %sum, {one};")
            ]
        elif access.action == "store":
            lines += [f"add.s64 {one}, %sum, {number * 77 + n};" for number, one in enumerate(group)]
            lines.append(f"{guard}st{space}{kind} {place}, {names};")
        else:
            lines += self._atomic(n, access, guard, space, place)
        if access.guard == "branch":
            lines.append(f"L{n}:")
        return [*lines, "bar.sync 0;"] if access.barrier else lines

    def _atomic(self, n: int, access: Access, guard: str, space: str, place: str) -> list[str]:
        bits = 8 * access.width
        kind = f"u{bits}" if access.atomic in ("add", "min", "max") else f"b{bits}"
        register, wide = ("%r", "cvt.u32.u64 %r6, %v0;") if bits == 32 else ("%v", "mov.u64 %v6, %v0;")
        back = "cvt.u64.u32 %v1, %r7;" if bits == 32 else "mov.u64 %v1, %v7;"
        operands = f"{register}6, {register}6" if access.atomic == "cas" else f"{register}6"
        zero = f"mov.b{bits} {register}7, 0;"
        return [
            f"add.s64 %v0, %sum, {n};", wide, zero,
            f"{guard}atom{space}.{access.atomic}.{kind} {register}7, {place}, {operands};",
            back, "mul.lo.s64 %sum, %sum, 31;", "add.s64 %sum, %sum, %v1;",
        ]  # fmt: skip

    def _address(self, n: int, access: Access) -> list[str]:
        if access.origin == "data":
            return [f"mov.u64 %y{n}, %d{n};"]
        # The low 62 bits are the offset with its sign; guard and choice have bits of their own.
        lines = [f"shl.b64 %x10, %d{n}, 2;", "shr.s64 %x10, %x10, 2;"]
        bases = [f"%a{3 * n + number}" for number in range(3)]
        for register, place in zip(bases, access.places, strict=False):
            generic = not access.space and place in ("tile", "own")
            lines.append(_base("%x14" if generic else register, place, access.space))
            if generic:
                lines.append(f"cvta.{'shared' if place == 'tile' else 'local'}.u64 {register}, %x14;")
        if access.origin == "chosen":
            lines += [f"shr.u64 %x11, %d{n}, 63;", "setp.ne.s64 %p1, %x11, 0;"]
            lines.append(f"selp.b64 {bases[2]}, {bases[0]}, {bases[1]}, %p1;")
        last = bases[2] if access.origin == "chosen" else bases[0]
        return [*lines, f"add.s64 %y{n}, {last}, %x10;"]


def _moved(action: str, space: str, place: str) -> list[str]:
    if action == "st":
        return [f"st.{space}.u64 {place}, %x15;"]
    return [f"ld.{space}.u64 %x19, {place};", "mul.lo.s64 %sum, %sum, 31;", "add.s64 %sum, %sum, %x19;"]


def _base(register: str, place: str, space: str) -> str:
    if place in ("tile", "own"):
        return f"mov.u64 {register}, {place};"
    # A generic address is the parameter itself, that of global memory was converted.
    return f"mov.u64 {register}, {'%q' if space else '%x'}{place};"


def random_program(draw: random.Random) -> Program:
    """A kernel of a few accesses."""
    accesses = [_random_access(draw) for _ in range(draw.randint(1, 7))]
    return Program(tuple(accesses), draw.choice([16, 48, 256, 1024]), draw.choice([8, 24, 32, 40]))


def _random_access(draw: random.Random) -> Access:
    origin = draw.choice(["array", "array", "chosen", "chosen", "chosen", "data", "data", "shared", "local"])
    names = [str(number) for number in range(ARRAYS)]
    action = draw.choice(["load", "load", "store", "store", "atomic"])
    if origin == "local":
        places, space, action = ("own",), "local", draw.choice(["load", "store"])
    elif origin == "shared":
        places, space = ("tile",), "shared"
    elif origin == "chosen":
        generic = draw.random() < 0.7
        pool = [*names, "tile", "own", "tile", "own"] if generic else names
        places, space = tuple(draw.sample(pool, 2)), "" if generic else "global"
    else:
        places, space = (draw.choice(names),), draw.choice(["global", ""])
    width, count = draw.choice(
        [
            (1, 1),
            (2, 1),
            (4, 1),
            (4, 1),
            (8, 1),
            (8, 1),
            (4, 2),
            (4, 4),
            (4, 4),
            (8, 2),
            (8, 2),
            (2, 4),
            (1, 2),
        ]
    )
    if action == "atomic":
        width, count = draw.choice([4, 8]), 1
    offset = draw.choice([0, 0, 0, width * count, -width * count, 4, 1 << 20, -(1 << 31)])
    guard = draw.choice(["none", "none", "predicate", "branch"])
    return Access(
        origin, places, space, action, width, count, offset, guard,
        draw.random() < 0.2, draw.choice(_ATOMICS), draw.random() < 0.3,
    )  # fmt: skip
