"""Reads PTX text as NVIDIA's compilers write it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from advisor.evidence.simulated.simt.ptx.ptx_declarations import read_header, read_registers, read_variable
from advisor.evidence.simulated.simt.ptx.ptx_operands import read_operand, split_operands
from advisor.evidence.simulated.simt.ptx.ptx_program import (
    Address,
    Function,
    Group,
    Instruction,
    Location,
    Module,
    Operand,
    Register,
    Symbol,
)
from advisor.model.errors import AdvisorError

TYPES = frozenset({
    "pred", "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64",
    "f16", "f16x2", "bf16", "bf16x2", "tf32", "f32", "f32x2", "f64", "e4m3", "e5m2", "e4m3x2", "e5m2x2",
})  # fmt: skip

_SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
_LINE = re.compile(r"\.(version|target|address_size|file|loc)\b([^\n]*)")
_FILE = re.compile(r'\s*(\d+)\s+"([^"]*)"')
_LOC = re.compile(r"\s*(\d+)\s+(\d+)\s+(\d+)(?:.*?\binlined_at\s+(\d+)\s+(\d+)\s+(\d+))?")
_SECTION = re.compile(r"\.section\s+[\w.]+\s*\{.*?\}", re.DOTALL)
_LABEL = re.compile(r"([A-Za-z_$%][\w$]*)\s*:(?!:)")
_HEADER = re.compile(r"(?:\.(?:visible|weak|extern|common)\s+)*\.(?:entry|func)\b[^;{]*")
_STATEMENT = re.compile(r"[^;]*;")
_INSTRUCTION = re.compile(
    r"(?:@(?P<not>!?)\s*(?P<predicate>%?\w+)\s+)?(?P<opcode>[a-z]\w*)(?P<rest>(?:\.[\w:]+)*)\s*(?P<operands>.*);",
    re.DOTALL,
)
_NUMBER = re.compile(r"0|[1-9]\d{0,9}")
_PLACES = re.compile(r"^\s*\.(?:loc|file)\b[^\n]*\n?", re.MULTILINE)
_SPACES = (".global", ".shared", ".local", ".const", ".param", ".visible", ".weak", ".extern", ".common")


class PtxError(AdvisorError):
    """A PTX text that this reader does not understand, with the line of the text."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"PTX line {line}: {message}")
        self.line = line


def read_ptx(text: str) -> Module:
    """The module that a PTX text describes; raises PtxError for what is not understood."""
    module = _Reader(text).module()
    module.digest, module.code_digest = _digest(text), _digest(_PLACES.sub("", text))
    return module


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=64)
def known_module(text: str) -> Module:
    """The module that a PTX text describes, read once; nobody may change it. Raises PtxError."""
    return read_ptx(text)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.result = Module()
        self.function: Function | None = None
        self.depth = 0
        self.counted_to = self.counted_lines = 0
        self.files = {int(number): name for number, name in _files(text)}
        self.location: Location | None = None
        self.callers: dict[tuple[str, ...], Location] = {}
        # The names that each open brace declares, with the registers they stand for; and `a<9>`: a0 to a8.
        self.scopes: list[dict[str, str]] = []
        self.scoped_ranges: list[dict[str, tuple[str, int]]] = []
        # The same of labels, and the branches within inner braces: a label may stand behind its branch.
        self.labels: list[dict[str, str]] = []
        self.inner_branches: list[tuple[int, tuple[dict[str, str], ...]]] = []

    def module(self) -> Module:
        while self._skip_space():
            try:
                self._item()
            except ValueError as error:
                raise PtxError(self._line(self.at), str(error)) from None
        if self.depth:
            raise PtxError(self._line(self.at), "the text ends within a function")
        return self.result

    def _line(self, at: int) -> int:
        """The line of an offset; offsets are asked for in rising order."""
        self.counted_lines += self.text.count("\n", self.counted_to, at)
        self.counted_to = at
        return self.counted_lines + 1

    def _skip_space(self) -> bool:
        if found := _SPACE.match(self.text, self.at):
            self.at = found.end()
        return self.at < len(self.text)

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def _item(self) -> None:
        character = self.text[self.at]
        if character in "{}":
            self._brace(character)
        elif character == ";":
            self.at += 1
        elif found := self._take(_LINE):
            self._directive(found[1], found[2].strip().rstrip(";"))
        elif self._take(_SECTION):
            return
        elif self.function is None and (header := self._take(_HEADER)):
            self._begin(header[0])
        elif self.function is not None and (label := self._take(_LABEL)):
            self.function.labels[self._label(label[1])] = len(self.function.instructions)
        else:
            self._statement()

    def _brace(self, character: str) -> None:
        self.at += 1
        self.depth += 1 if character == "{" else -1
        if character == "{":
            self.scopes.append({})
            self.scoped_ranges.append({})
            self.labels.append({})
        elif self.scopes:
            self.scopes.pop()
            self.scoped_ranges.pop()
            self.labels.pop()
        if self.depth < 0 or (self.depth and self.function is None):
            raise ValueError("a brace outside a function")
        if self.depth == 0:
            self._lead_branches()
            self.function = None
            self.location = None

    def _label(self, name: str) -> str:
        """The name of a label that is declared here: within inner braces one that no others share."""
        assert self.function is not None
        own = name if len(self.labels) < 2 else f"{name}.{len(self.function.instructions)}"
        self.labels[-1][name] = own
        return own

    def _lead_branches(self) -> None:
        """Let branches within inner braces lead to the label of the innermost ones that declare its name."""
        if self.function is None:
            return
        for number, scopes in self.inner_branches:
            item = self.function.instructions[number]
            target = item.operands[0]
            if not isinstance(target, Symbol):
                continue
            known = [scope[target.name] for scope in scopes if target.name in scope]
            if known:
                operands = (Symbol(known[-1]), *item.operands[1:])
                self.function.instructions[number] = replace(item, operands=operands)
        self.inner_branches = []

    def _directive(self, name: str, value: str) -> None:
        if name == "version":
            self.result.version = value
        elif name == "target":
            self.result.target = value.partition(",")[0].strip()
        elif name == "address_size":
            self.result.address_size = int(value)
        elif name == "loc":
            self._locate(value)

    def _locate(self, value: str) -> None:
        found = _LOC.match(value)
        if found is None:
            raise ValueError(f"`.loc {value}` is not understood")
        own, caller = found.groups()[:3], found.groups()[3:]
        outer = None
        if caller[0] is not None:
            outer = self.callers.get(caller) or self._place(caller, None)
        self.location = self._place(own, outer)
        self.callers[own] = self.location

    def _place(self, numbers: tuple[str, ...], outer: Location | None) -> Location:
        file, line, column = map(int, numbers)
        return Location(self.files.get(file, ""), line, column, outer)

    def _begin(self, header: str) -> None:
        function = read_header(header)
        self._skip_space()
        function.external = self.text[self.at : self.at + 1] != "{"
        known = self.result.functions.get(function.name)
        if known is None or known.external:
            self.result.functions[function.name] = function
        if not function.external:
            self.function = function

    def _statement(self) -> None:
        begin = self.at
        found = self._take(_STATEMENT)
        if found is None:
            raise ValueError(f"`{self.text[begin : begin + 40].split(chr(10))[0]}` has no end")
        statement = _SPACE.sub(" ", found[0]).strip()
        if statement.startswith("."):
            self._declaration(statement)
            return
        if self.function is None:
            raise ValueError(f"`{statement}` stands outside a function")
        line = self._line(begin)
        item = self._instruction(statement, line)
        if item.opcode == "bra" and item.operands and len(self.labels) > 1:
            self.inner_branches.append((len(self.function.instructions), tuple(self.labels)))
        self.function.instructions.append(item)

    def _declaration(self, statement: str) -> None:
        if statement.startswith(".reg"):
            if self.function is None:
                raise ValueError("registers are declared outside a function")
            self._registers(statement, self.function)
        elif statement.startswith(_SPACES):
            variable = read_variable(statement)
            if self.function is None:
                self.result.variables[variable.name] = variable
            elif variable.space != "param":
                self.function.variables.append(variable)
            else:
                # The parameters of a call, declared beside it; each call may use the same names.
                self.function.variables = [v for v in self.function.variables if v.name != variable.name]
                self.function.variables.append(variable)
        elif not statement.startswith(
            (".pragma", ".branchtargets", ".callprototype", ".maxn", ".minn", ".alias")
        ):
            raise ValueError(f"`{statement}` is not understood")

    def _registers(self, statement: str, function: Function) -> None:
        """Declare registers, with a name of its own for one whose name another scope has."""
        inner = Function("", False, (), ())
        read_registers(statement, inner)
        for stem, declared in inner.ranges.items():
            if len(self.scopes) > 1 or not stem.startswith("%"):
                self.scoped_ranges[-1][stem] = declared
            else:
                function.ranges[stem] = declared
        for name, kind in inner.registers.items():
            self._register(name, kind, self.scopes[-1], function)

    def _register(self, name: str, kind: str, scope: dict[str, str], function: Function) -> str:
        """Declare a register in a scope; the one that it stands for."""
        nested = len(self.scopes) > 1
        taken = nested and (name in function.registers or _number_in(name, function.ranges) is not None)
        own = f"{name}.{len(function.registers)}" if taken else name
        function.registers[own] = kind
        scope[name] = own
        return own

    def _scoped(self, name: str) -> str | None:
        """The register that a name stands for here, None for a name that no scope declares."""
        for scope, ranges in zip(reversed(self.scopes), reversed(self.scoped_ranges), strict=True):
            if name in scope:
                return scope[name]
            if (kind := _number_in(name, ranges)) is not None:
                assert self.function is not None
                return self._register(name, kind, scope, self.function)
        return None

    def _instruction(self, statement: str, line: int) -> Instruction:
        found = _INSTRUCTION.fullmatch(statement)
        if found is None:
            raise ValueError(f"`{statement}` is no instruction")
        # `.shared` stands for `.shared::cta`: PTX ISA, "Shared State Space".
        parts = [part.replace("shared::cta", "shared") for part in found["rest"].split(".") if part]
        cut = len(parts)
        while cut and parts[cut - 1] in TYPES:
            cut -= 1
        guard = found["predicate"]
        predicate = Register(self._scoped(guard) or guard, bool(found["not"])) if guard else None
        texts = split_operands(found["operands"])
        operands = tuple(_with_registers(read_operand(text), self._scoped) for text in texts)
        return Instruction(
            found["opcode"], tuple(parts[:cut]), tuple(parts[cut:]), operands, predicate, self.location, line
        )


def _number_in(name: str, ranges: dict[str, tuple[str, int]]) -> str | None:
    """The type of the register that a range such as `a<9>` declares by a name such as `a7`, else None."""
    for stem, (kind, count) in ranges.items():
        number = name.removeprefix(stem)
        if name.startswith(stem) and _NUMBER.fullmatch(number) and int(number) < count:
            return kind
    return None


def _with_registers(operand: Operand, named: Callable[[str], str | None]) -> Operand:
    """An operand with the registers that its names stand for, also those without a percent sign."""
    if isinstance(operand, Register):
        own = named(operand.name)
        return operand if own is None or own == operand.name else Register(own, operand.negated)
    if isinstance(operand, Symbol):
        own = named(operand.name)
        return operand if own is None else Register(own)
    if isinstance(operand, Group):
        return Group(tuple(_with_registers(item, named) for item in operand.items))
    if isinstance(operand, Address) and isinstance(operand.base, Register | Symbol):
        base = _with_registers(operand.base, named)
        assert isinstance(base, Register | Symbol)
        return operand if base is operand.base else Address(base, operand.offset)
    return operand


def _files(text: str) -> list[tuple[str, str]]:
    """The numbered source files: `.file` stands at the end of the text, behind the places that use it."""
    directives = re.findall(r"^\s*\.file\s+([^\n]*)", text, re.MULTILINE)
    return [(found[1], found[2]) for found in map(_FILE.match, directives) if found]
