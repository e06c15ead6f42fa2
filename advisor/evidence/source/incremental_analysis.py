"""The analysis of one text that is being edited: what an edit does not reach is kept and moved along."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from advisor.evidence.source.analysis import (
    SourceEvidence,
    bodies_elsewhere,
    kernels_by_name,
    launched_as,
    only_one,
    unrecognised_in,
)
from advisor.evidence.source.file_analyser import (
    FileAnalyser,
    FileHost,
    FileKernels,
    LaunchSeen,
    faults_as_problems,
)
from advisor.evidence.source.host.host_records import with_device_launches
from advisor.evidence.source.module_parts import Needs, Part, PartNames, split, split_again, words_in
from advisor.evidence.source.other_files.never_launched import add_never_launched
from advisor.model.findings import Problem
from advisor.model.records import Record
from advisor.model.storage.file_stamp import FileStamp
from advisor.model.storage.memo import Memo
from advisor.model.storage.regular_files import content_of
from advisor.model.text.source_text import SourceText, Span
from advisor.model.text.syntax_recovery import SyntaxFault
from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.effects.device_functions import Resolver
from advisor.program.kernels.declarations import Declaration
from advisor.program.kernels.jit_expressions import Use
from advisor.program.launches.launched_as import LaunchedAs
from advisor.program.syntax.gate import launched_names, may_hold_device_code, searchable
from advisor.program.syntax.module import FILE_WORDS, ModuleSyntax, NamesElsewhere, readable_source

_Key: TypeAlias = tuple[object, ...]


@dataclass
class _Found:
    """What a part's host side, or one kernel, said when the parts it needs stood at these lines."""

    starts: tuple[int, ...]
    records: list[Record] = field(default_factory=list)
    kernels: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    launches: list[LaunchSeen] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    known_uses: set[Use] = field(default_factory=set)
    unseen_launches: list[tuple[int, str]] = field(default_factory=list)
    read_names: frozenset[str] = frozenset()

    def moved(self, path: str, starts: tuple[int, ...]) -> _Found:
        """The same where the parts stand now."""
        shifts = [(old, new - old) for old, new in zip(self.starts, starts, strict=True)]
        move = LineMove(path, shifts)
        if move.nothing:
            return self
        return _Found(
            starts,
            [move.record(one) for one in self.records],
            [(move.key(key), names) for key, names in self.kernels],
            [
                replace(one, kernels=tuple(move.key(key) for key in one.kernels)) if one.kernels else one
                for one in self.launches
            ],
            [move.problem(one) for one in self.problems],
            [move.place(one) for one in self.uses],
            {move.place(one) for one in self.known_uses},
            [(move.line(line), name) for line, name in self.unseen_launches],
            self.read_names,
        )


class IncrementalAnalysis:
    """Analyses of one file's text, each as `analyse` would give it without units; belongs to one thread.

    That another file has changed is noticed; what was not there before is only seen after `forget`.
    """

    def __init__(self, root: Path, file: Path) -> None:
        self._root, self._file = root, file
        self.forget()

    def forget(self) -> None:
        """Drop everything that is kept."""
        self._analyser = FileAnalyser(self._root)
        self._lines: tuple[str, ...] = ()
        self._parts: list[Part] | None = None
        self._known = _Known()
        self._read = Memo[Path, OtherFile]()
        self._stamps: dict[str, FileStamp | None] = {}

    def analyse(self, source: SourceText, workspace_files: Sequence[Path] = ()) -> SourceEvidence | None:
        """The analysis of the text, launched where it and other files do.

        Of a text with syntax errors it is that of what can be read; None where nothing can: then `analyse`
        has to tell why.
        """
        self._notice_changes()
        readable: SourceText = source
        faults: tuple[SyntaxFault, ...] = ()
        parts = self._split(source.lines)
        if parts is None:
            readable, faults = readable_source(source)
            parts = self._split(readable.lines) if faults else None
        if parts is None:
            return None
        others = self._as_now(workspace_files)
        edit = _Edit(self._analyser, self._file, readable, parts, self._known)
        own = edit.own_hosts()
        found = [(own, edit.names_read())]
        found += [edit.other_file(one, at.names, at.stamp) for one, at in others.items() if at.device]
        by_name = kernels_by_name(host for host, _ in found)
        apart: list[frozenset[str]] = []
        for one, at in others.items():
            if not at.device and not at.launches.isdisjoint(by_name):
                found.append(edit.other_file(one, at.names, at.stamp))
            elif not at.device:
                apart.append(at.names.words)
        hosts = [host for host, _ in found]
        launched = launched_as(hosts, by_name)
        add_never_launched(
            launched,
            [one for host in hosts for one in host.kernels if one[0].partition("::")[0] == source.path],
            lambda _: frozenset().union(*(read for _, read in found)),
            lambda names: {name for words in apart for name in words.intersection(names)},
        )
        kernels = edit.kernels(launched)
        for one, at in others.items():
            if at.device:
                kernels += edit.bodies(one, at.names, at.stamp, launched)
        self._known.drop_unasked()
        read = self._analyser.workspace.files
        self._stamps = {
            path: self._stamps.get(path) or FileStamp.of(path) for path in read if path != str(self._file)
        }
        result = _joined(source, own, kernels, by_name, read)
        if faults:
            result.unread[source.path] = readable.unread
            result.problems[:0] = faults_as_problems(source.path, faults)
            result.texts[source.path] = source.text
        known_uses = set[Use]().union(*(host.known_uses for host in hosts))
        result.unrecognised = unrecognised_in(own, known_uses, by_name)
        return result

    def _split(self, lines: tuple[str, ...]) -> list[Part] | None:
        before = self._parts
        parts = split(lines) if before is None else split_again(before, self._lines, lines)
        if parts is not None:
            self._lines, self._parts = lines, parts
        return parts

    def _notice_changes(self) -> None:
        """Drop everything when a file that was read has changed."""
        if any(FileStamp.of(path) != stamp for path, stamp in self._stamps.items()):
            self.forget()

    def _as_now(self, files: Sequence[Path]) -> dict[Path, OtherFile]:
        """The other files as they are now."""
        found = {
            file: self._read.value(file, FileStamp.of(file), partial(read_other_file, file)) for file in files
        }
        self._read.drop_unasked()
        return found


def _joined(
    source: SourceText,
    own: FileHost,
    kernels: Sequence[_Found],
    by_name: Mapping[str, set[str]],
    read: frozenset[str],
) -> SourceEvidence:
    """All that was found of the file, in the order of `analyse`."""
    launches = [one for one in own.records if one.entity == "launch"]
    calls = [one for one in own.records if one.entity != "launch"]
    linked = [
        replace(one, owner=only_one(set(by_name.get(one.label, set()))) if one.owner is None else None)
        if not one.owner
        else one
        for one in launches
    ]
    result = SourceEvidence([*with_device_launches(linked), *calls], problems=list(own.problems), read=read)
    for kernel in kernels:
        result.records += kernel.records
        result.problems += kernel.problems
    if own.records or kernels or own.launches or own.problems:
        result.texts[source.path] = source.text
    return result


class _Known:
    """What was said of parts, of other files and of kernels, each by all that decides it; `apart` are those
    files that do not import the text.
    """

    def __init__(self) -> None:
        self.hosts = Memo[_Key, _Found]()
        self.other_files = Memo[_Key, _Found]()
        self.apart = Memo[str, _Found]()
        self.kernels = Memo[_Key, _Found]()

    def drop_unasked(self) -> None:
        """Drop what the last text had no use for."""
        for memo in (self.hosts, self.other_files, self.apart, self.kernels):
            memo.drop_unasked()


class _Edit:
    """One state of the text: its parts, what each needs, and the analyses of what is not known yet."""

    def __init__(
        self, analyser: FileAnalyser, file: Path, source: SourceText, parts: Sequence[Part], known: _Known
    ) -> None:
        self._analyser, self._file, self._source = analyser, file, source
        self._parts, self._known = parts, known
        self._needs = Needs(parts)
        called = frozenset[str]().union(*(part.names.called for part in parts))
        launched = frozenset[str]().union(*(part.names.launched for part in parts))
        checked = frozenset[str]().union(*(part.names.checked for part in parts))
        words = (one for one in FILE_WORDS if any(one in part.names.words for part in parts))
        often = (name for name in launched if sum(name in part.names.words for part in parts) > 2)
        self._elsewhere = NamesElsewhere(called, launched, frozenset(words), frozenset(often), checked)
        self._hosts: list[_Found] = []
        self._bodies: set[str] = set()
        self._read: frozenset[int] = frozenset()

    def own_hosts(self) -> FileHost:
        """The host side of the whole text."""
        needed = [self._needs.of(number) for number in range(len(self._parts))]
        keys = [self._key(numbers, place) for place, numbers in enumerate(needed)]
        found = {
            number: known
            for number, key in enumerate(keys)
            if (known := self._known.hosts.find(key, None)) is not None
        }
        missing = [number for number in range(len(keys)) if number not in found]
        found |= self._analyse_hosts(missing) if missing else {}
        result = FileHost(self._source.path)
        for number, key in enumerate(keys):
            one = found[number].moved(self._source.path, self._starts(needed[number]))
            self._known.hosts.keep(key, None, one)
            self._hosts.append(one)
            result.records += one.records
            result.kernels += one.kernels
            result.launches += one.launches
            result.problems += one.problems
            result.uses += one.uses
            result.known_uses |= one.known_uses
            result.unseen_launches += one.unseen_launches
        return result

    def names_read(self) -> frozenset[str]:
        """The names that the text reads."""
        return frozenset().union(*(part.names.read for part in self._parts))

    def other_file(
        self, file: Path, names: PartNames, stamp: FileStamp | None
    ) -> tuple[FileHost, frozenset[str]]:
        """The host side of another file, as far as it concerns this one, and the names that it reads."""
        one = self._known.apart.find(str(file), stamp) or self._other_file(file, names, stamp)
        path = self._analyser.workspace.report_path(file)
        host = FileHost(path, kernels=one.kernels, launches=one.launches, known_uses=one.known_uses)
        return host, one.read_names

    def _other_file(self, file: Path, names: PartNames, stamp: FileStamp | None) -> _Found:
        """The host side of a file that imports the text, or of which that is not known yet."""
        needed = self._needs.of_names(names)
        key = (str(file), stamp, self._key(needed, -1))
        starts = self._starts(needed)
        found = self._known.other_files.find(key, None)
        if found is None:
            if not self._read.issuperset(needed):
                self._host(needed)
            host = self._analyser.host(file, with_records=False)
            found = _Found(
                starts,
                kernels=host.kernels,
                launches=host.launches,
                known_uses=host.known_uses,
                read_names=self._analyser.names_read(file),
            )
            if str(self._file) not in self._analyser.workspace.imported_from(file):
                # No edit of the text changes what it says.
                return self._known.apart.keep(str(file), stamp, found)
        return self._known.other_files.keep(key, None, found.moved(self._source.path, starts))

    def bodies(
        self, file: Path, names: PartNames, stamp: FileStamp | None, launched: Mapping[str, LaunchedAs]
    ) -> list[_Found]:
        """What those kernels of another file say whose bodies stand in the text."""
        host, _ = self.other_file(file, names, stamp)
        own = FileHost(self._source.path, kernels=[one for found in self._hosts for one in found.kernels])
        keys = bodies_elsewhere([own], host) - self._bodies
        self._bodies |= keys
        if not keys:
            return []
        needed = self._needs.of_names(names)
        which = tuple(
            (key.rpartition("@")[0], launched.get(key, LaunchedAs()).everything) for key in sorted(keys)
        )
        question = str(file), stamp, self._key(needed, -1), which
        found = self._known.kernels.find(question, None)
        if found is None:
            found = self._analyse_bodies(file, keys, needed, launched)
        return [
            self._known.kernels.keep(question, None, found.moved(self._source.path, self._starts(needed)))
        ]

    def _analyse_bodies(
        self, file: Path, keys: Collection[str], needed: tuple[int, ...], launched: Mapping[str, LaunchedAs]
    ) -> _Found:
        self._host(needed)
        self._analyser.host(file, with_records=False)
        module = self._analyser.workspace.module(file)
        result = FileKernels(self._source.path)
        for kernel in self._analyser.kernels_of(module) if module else []:
            if kernel.key in keys:
                self._analyser.add_kernel(kernel, launched.get(kernel.key, LaunchedAs()), False, result)
        return _Found(self._starts(needed), result.records, problems=result.problems)

    def kernels(self, launched: Mapping[str, LaunchedAs]) -> list[_Found]:
        """What each kernel says, in order of lines."""
        keys: dict[str, tuple[int, _Key]] = {}
        for number, host in enumerate(self._hosts):
            for place, (kernel, names) in enumerate(host.kernels):
                way = launched.get(kernel, LaunchedAs()).everything
                keys[kernel] = number, (self._key(self._needs.of(number), number), place, names, way)
        found = {
            kernel: known
            for kernel, (_, key) in keys.items()
            if (known := self._known.kernels.find(key, None)) is not None
        }
        missing = {kernel: number for kernel, (number, _) in keys.items() if kernel not in found}
        found |= self._analyse_kernels(missing, launched) if missing else {}
        said = []
        for kernel, (number, key) in keys.items():
            moved = found[kernel].moved(self._source.path, self._starts(self._needs.of(number)))
            said.append(self._known.kernels.keep(key, None, moved))
        return said

    def _key(self, numbers: tuple[int, ...], place: int) -> _Key:
        """All that decides what is said with some parts known, except the lines where these stand."""
        parts = [self._parts[one] for one in numbers]
        names = frozenset[str]().union(*(part.names.binds for part in parts))
        elsewhere = self._elsewhere
        flags = (
            names & elsewhere.called, names & elsewhere.launched, names & elsewhere.often, elsewhere.words,
            names & elsewhere.checked, self._source.for_python_2,
        )  # fmt: skip
        own = numbers.index(place) if place >= 0 else -1
        unread = self._source.unread
        torn = tuple(not unread.isdisjoint(range(one.first, one.last + 1)) for one in parts) if unread else ()
        return (own, tuple(part.text for part in parts), torn, *flags)

    def _starts(self, numbers: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self._parts[one].first for one in numbers)

    def _reduced(self, numbers: Collection[int]) -> SourceText:
        """The text with nothing but some parts, each at its lines."""
        lines: list[str] = []
        for number, part in enumerate(self._parts):
            lines += part.lines if number in numbers else [""] * len(part.lines)
        return replace(self._source, text="\n".join(lines) + "\n")

    def _analyse_hosts(self, numbers: Sequence[int]) -> dict[int, _Found]:
        host = self._host({one for number in numbers for one in self._needs.of(number)})
        found = {number: _Found(self._starts(self._needs.of(number))) for number in numbers}
        at = {line: number for number in numbers for line in self._lines_of(number)}
        for record in host.records:
            if record.span.line in at:
                found[at[record.span.line]].records.append(record)
        module = self._analyser.workspace.module(self._file)
        if module is None:
            return found
        for launch, seen in zip(self._analyser.launches_in(module), host.launches, strict=True):
            if launch.node.lineno in at:
                found[at[launch.node.lineno]].launches.append(seen)
        for place in host.uses:
            if place[1] in at:
                found[at[place[1]]].uses.append(place)
        for line, places in self._analyser.jit_uses_in(module).known:
            if line in at:
                found[at[line]].known_uses |= places
        for line, name in host.unseen_launches:
            if line in at:
                found[at[line]].unseen_launches.append((line, name))
        for kernel in self._own_kernels(module):
            if kernel.node.lineno in at:
                found[at[kernel.node.lineno]].kernels.append((kernel.key, kernel.names))
        return found

    def _analyse_kernels(
        self, wanted: Mapping[str, int], launched: Mapping[str, LaunchedAs]
    ) -> dict[str, _Found]:
        needed = {one for number in wanted.values() for one in self._needs.of(number)}
        if not needed <= self._read:
            self._host(needed)
        module = self._analyser.workspace.module(self._file)
        found = {kernel: _Found(self._starts(self._needs.of(number))) for kernel, number in wanted.items()}
        for kernel in self._own_kernels(module) if module else []:
            if kernel.key in found:
                result = FileKernels(self._source.path)
                self._analyser.add_kernel(kernel, launched.get(kernel.key, LaunchedAs()), False, result)
                found[kernel.key].records = result.records
                found[kernel.key].problems = result.problems
        return found

    def _own_kernels(self, module: ModuleSyntax) -> list[Declaration]:
        """The kernels that are defined in the text itself."""
        return [kernel for kernel in self._analyser.kernels_of(module) if kernel.module is module]

    def _host(self, numbers: Collection[int]) -> FileHost:
        # What these know of the text as it was before would be kept with its syntax tree, edit after edit.
        self._analyser.resolver = Resolver(self._analyser.workspace)
        self._analyser.host_values = HostValues(self._analyser.workspace)
        self._read = frozenset(numbers)
        return self._analyser.host(self._file, self._reduced(numbers), self._elsewhere)

    def _lines_of(self, number: int) -> range:
        part = self._parts[number]
        return range(part.first, part.last + 1)


class LineMove:
    """How the lines of one file have moved: stretches of lines by their former first line and how far."""

    def __init__(self, path: str, stretches: Sequence[tuple[int, int]]) -> None:
        self._path = path
        self._firsts = [first for first, _ in stretches]
        self._shifts = [shift for _, shift in stretches]
        own = re.escape(path)
        # The forms of keys: path::name@line of a kernel, path:line:column of a place.
        self._in_key = re.compile(rf"({own}::[^@:]*@|(?<![^:]){own}:)(\d+)")

    @property
    def nothing(self) -> bool:
        """Whether all lines stay where they are."""
        return not any(self._shifts)

    def line(self, line: int) -> int:
        """The line where a former line is now."""
        at = bisect_right(self._firsts, line) - 1
        return line + self._shifts[at] if at >= 0 else line

    def key(self, key: str) -> str:
        """A record's key with the lines in it moved."""
        return self._in_key.sub(lambda found: f"{found[1]}{self.line(int(found[2]))}", key)

    def record(self, record: Record) -> Record:
        """A record with its place, its key and its owner's moved; the readings are shared."""
        span = record.span
        if record.path == self._path:
            span = Span(self.line(span.line), span.column, self.line(span.end_line), span.end_column)
        owner = None if record.owner is None else self.key(record.owner)
        return Record(
            record.entity, self.key(record.key), record.path, span, record.label, owner, record.readings
        )

    def place(self, place: tuple[str, int, int]) -> tuple[str, int, int]:
        """A path, line and column with the line moved."""
        path, line, column = place
        return (path, self.line(line), column) if path == self._path else place

    def problem(self, problem: Problem) -> Problem:
        """A problem at its line now."""
        return replace(problem, line=self.line(problem.line)) if problem.path == self._path else problem


@dataclass(frozen=True)
class OtherFile:
    """Another file as it was last read: whether it may hold kernels, what it launches, and all its words."""

    stamp: FileStamp | None
    device: bool
    launches: frozenset[str]
    names: PartNames


def read_other_file(file: Path) -> OtherFile:
    """What a file says by its words; nothing where it cannot be read."""
    stamp = FileStamp.of(file)
    try:
        data = content_of(file)
    except OSError:
        return OtherFile(stamp, False, frozenset(), PartNames())
    words = searchable(data, file.name)
    names = PartNames(words=words_in(words.decode(errors="replace")))
    return OtherFile(stamp, may_hold_device_code(words), launched_names(words), names)
