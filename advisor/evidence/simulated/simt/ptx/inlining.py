"""Calls of functions of the same PTX text replaced by their instructions.

The parameters of a call become registers, one for each place that is stored to. Calls of functions without a
body become `extern` instructions: the results, the name, the arguments. PTX ISA, "Function Parameters".
"""

from __future__ import annotations

from dataclasses import replace

from advisor.evidence.simulated.simt.ptx.ptx_program import (
    Address,
    Function,
    Group,
    Instruction,
    Integer,
    Location,
    Module,
    Operand,
    Register,
    Symbol,
)
from advisor.evidence.simulated.simt.unsupported import Unsupported, plain_name

_GRID_BARRIER = "cudaCGSynchronize"
_GRID_HANDLE = "cudaCGGetIntrinsicHandle"


def inlined(module: Module, function: Function) -> Function:
    """The function without calls of functions that the module holds.

    Raises Unsupported for recursion, for calls through pointers and for parameters whose address is taken or
    that are read otherwise than they were stored.
    """
    if not any(item.opcode == "call" for item in function.instructions):
        return function
    result = Function(function.name, function.entry, function.parameters, function.results)
    result.registers = dict(function.registers)
    result.ranges = dict(function.ranges)
    _Inliner(module, result).expand(function, "", {}, {}, None, (function.name,))
    result.variables = [one for one in result.variables if one.space != "param"]
    return result


class _Inliner:
    def __init__(self, module: Module, result: Function) -> None:
        self.module = module
        self.result = result
        self.calls = 0

    def expand(
        self,
        function: Function,
        prefix: str,
        parameters: dict[str, str],
        results: dict[str, str],
        called_at: Location | None,
        stack: tuple[str, ...],
    ) -> None:
        """Add a function's instructions with a prefix to its names, parameters as cells."""
        end = f"{prefix}$end"
        several: dict[int, list[str]] = {}
        for name, at in function.labels.items():
            several.setdefault(at, []).append(name)
        local = {variable.name for variable in function.variables}
        self.result.variables.extend(replace(one, name=prefix + one.name) for one in function.variables)
        own = {one.name for one in (*function.parameters, *function.results)}
        now = self._next_call()
        last = now
        for at, item in enumerate(function.instructions):
            for name in several.get(at, ()):
                self.result.labels[prefix + name] = len(self.result.instructions)
            item = replace(item, location=_placed(item.location, called_at))
            if item.opcode == "call":
                self._call(item, prefix, now, stack)
                last, now = now, self._next_call()
            elif item.opcode in ("ld", "st") and "param" in item.modifiers:
                self._parameter(item, prefix, own, parameters | results, (now, last))
            elif item.opcode == "ret" and stack[1:]:
                jump = replace(item, opcode="bra", operands=(Symbol(end),), modifiers=("uni",))
                self._add(self._renamed(jump, prefix, frozenset()))
            else:
                self._add(self._renamed(item, prefix, frozenset(local), bool(stack[1:])))
        for name in several.get(len(function.instructions), ()):
            self.result.labels[prefix + name] = len(self.result.instructions)
        if stack[1:]:
            self.result.labels[end] = len(self.result.instructions)

    def _next_call(self) -> int:
        self.calls += 1
        return self.calls

    def _add(self, item: Instruction) -> None:
        self.result.instructions.append(item)

    def _call(self, item: Instruction, prefix: str, number: int, stack: tuple[str, ...]) -> None:
        names = [operand.name for operand in item.operands if isinstance(operand, Symbol)]
        groups = [operand for operand in item.operands if isinstance(operand, Group)]
        through_pointer = any(isinstance(operand, Register) for operand in item.operands)
        if len(names) != 1 or through_pointer or item.predicate is not None:
            raise Unsupported(item, "a call through a pointer or under a predicate")
        callee = self.module.functions.get(names[0])
        before = isinstance(item.operands[0], Group)
        given = [self._cell(item, prefix, one, number) for one in groups[-1].items] if groups else []
        taken = [self._cell(item, prefix, one, number) for one in groups[0].items] if before else []
        if before and len(groups) == 1:
            given = []
        if callee is None or not callee.instructions:
            self._external(item, names[0], taken, given)
            return
        if callee.name in stack:
            raise Unsupported(item, f"{plain_name(callee.name)} calls itself, and recursion is not simulated")
        inner = f"{prefix}{number}:"
        self._declare(callee, inner)
        parameters = dict(zip((one.name for one in callee.parameters), given, strict=True))
        # C callers of a void function may name a result; nothing is ever stored there.
        results = dict(zip((one.name for one in callee.results), taken, strict=False))
        self.expand(callee, inner, parameters, results, item.location, (*stack, callee.name))

    def _declare(self, callee: Function, prefix: str) -> None:
        for name, kind in callee.registers.items():
            self.result.registers[_register(name, prefix)] = kind
        for stem, (kind, count) in callee.ranges.items():
            for number in range(count):
                self.result.registers[_register(f"{stem}{number}", prefix)] = kind

    def _cell(self, item: Instruction, prefix: str, operand: Operand, number: int) -> str:
        if not isinstance(operand, Symbol):
            raise Unsupported(item, "an argument that is no parameter")
        return f"{prefix}{operand.name}@{number}"

    def _external(self, item: Instruction, name: str, taken: list[str], given: list[str]) -> None:
        results = tuple(self._cell_register(one, 0, 32) for one in taken)
        if name in (_GRID_HANDLE, _GRID_BARRIER):
            if name == _GRID_BARRIER:
                self._add(replace(item, opcode="bar", modifiers=("grid",), operands=(Integer(0),)))
            for register in results:
                self.result.registers[register.name] = "b64" if name == _GRID_HANDLE else "b32"
                value = Integer(int(name == _GRID_HANDLE))
                kind = self.result.registers[register.name]
                self._add(
                    replace(item, opcode="mov", modifiers=(), types=(kind,), operands=(register, value))
                )
            return
        cells = [key for key in self.result.registers if "@" in key]
        arguments = tuple(Register(key) for one in given for key in cells if key.startswith(f"%{one}+"))
        self._add(
            replace(
                item,
                opcode="extern",
                modifiers=(),
                types=(),
                operands=(Group(results), Symbol(name), Group(arguments)),
            )
        )

    def _cell_register(self, cell: str, offset: int, width: int) -> Register:
        """The register of one place of a parameter; raises Unsupported when it is known with less bits."""
        name = f"%{cell}+{offset}"
        known = self.result.registers.get(name)
        if known is None:
            self.result.registers[name] = f"b{max(width, 16)}"
        return Register(name)

    def _parameter(
        self, item: Instruction, prefix: str, own: set[str], cells: dict[str, str], calls: tuple[int, int]
    ) -> None:
        place = 1 if item.opcode == "ld" else 0
        address = item.operands[place]
        assert isinstance(address, Address)
        if not isinstance(address.base, Symbol):
            raise Unsupported(item, "a parameter whose address is calculated")
        name = address.base.name
        if name in own and name not in cells:
            self._add(self._renamed(item, prefix, frozenset()))
            return
        cell = cells.get(name) or f"{prefix}{name}@{calls[place]}"
        other = item.operands[1 - place]
        parts = other.items if isinstance(other, Group) else (other,)
        width = int(item.types[-1].lstrip("busf"))
        for number, part in enumerate(parts):
            offset = address.offset + number * width // 8
            register = self._known_cell(item, cell, offset, width)
            renamed = self._operand(part, prefix, frozenset())
            pair = (renamed, register) if place else (register, renamed)
            move = replace(item, opcode="mov", modifiers=(), types=(f"b{max(width, 16)}",), operands=pair)
            self._add(_between(move, item.types[-1], place == 1))

    def _known_cell(self, item: Instruction, cell: str, offset: int, width: int) -> Register:
        register = self._cell_register(cell, offset, width)
        if int(self.result.registers[register.name][1:]) < width:
            if item.opcode == "ld":
                raise Unsupported(item, "a parameter read wider than it was stored")
            self.result.registers[register.name] = f"b{width}"
        return register

    def _renamed(
        self, item: Instruction, prefix: str, local: frozenset[str], inner: bool = False
    ) -> Instruction:
        if not prefix:
            return item
        predicate = item.predicate
        if predicate is not None:
            predicate = Register(_register(predicate.name, prefix), predicate.negated)
        if item.opcode == "bra" and inner:
            operands: tuple[Operand, ...] = tuple(
                Symbol(prefix + one.name) if isinstance(one, Symbol) else one for one in item.operands
            )
        else:
            operands = tuple(self._operand(one, prefix, local) for one in item.operands)
        return replace(item, operands=operands, predicate=predicate)

    def _operand(self, operand: Operand, prefix: str, local: frozenset[str]) -> Operand:
        if isinstance(operand, Register):
            return Register(_register(operand.name, prefix), operand.negated)
        if isinstance(operand, Symbol):
            return Symbol(prefix + operand.name) if operand.name in local else operand
        if isinstance(operand, Address):
            base = self._operand(operand.base, prefix, local)
            assert isinstance(base, Register | Symbol | Integer)
            return Address(base, operand.offset)
        if isinstance(operand, Group):
            return Group(tuple(self._operand(one, prefix, local) for one in operand.items))
        return operand


def _between(move: Instruction, kind: str, loading: bool) -> Instruction:
    """A move of eight bits as a conversion: registers have at least 16."""
    width = int(kind.lstrip("busf"))
    if width >= 16:
        return move
    sign = "s" if kind[0] == "s" and loading else "u"
    return replace(move, opcode="cvt", types=(f"{sign}16", f"{sign}8"))


def _register(name: str, prefix: str) -> str:
    return name if name == "_" or not prefix else f"%{prefix}{name.removeprefix('%')}"


def _placed(location: Location | None, called_at: Location | None) -> Location | None:
    """A place in a called function, with the call as the place that it was inlined at."""
    if location is None or called_at is None:
        return location or called_at
    if location.inlined_at is None:
        return replace(location, inlined_at=called_at)
    return replace(location, inlined_at=_placed(location.inlined_at, called_at))
