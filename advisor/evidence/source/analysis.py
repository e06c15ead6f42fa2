"""The source evidence of a set of files: launches first, for they say how a warp lies in the arrays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from advisor.evidence.source.analysis_memory import AnalysisMemory, RememberingWorkers
from advisor.evidence.source.analysis_workers import CHUNK, AnalysisWorkers
from advisor.evidence.source.file_analyser import FileHost
from advisor.evidence.source.host.host_records import with_device_launches
from advisor.evidence.source.other_files.cuda_files import cuda_file_text, named_cuda_files
from advisor.evidence.source.other_files.factory_callers import factory_callers
from advisor.evidence.source.other_files.never_launched import add_never_launched
from advisor.evidence.source.other_files.related_files import imported_words, importing, words_of
from advisor.evidence.source.test_paths import holds_benchmarks, holds_tests, is_test_path
from advisor.model.compilation_unit import CompilationUnit
from advisor.model.errors import SourceProblem
from advisor.model.findings import Problem, Unrecognised
from advisor.model.machine_code.triton_unit import TritonUnit
from advisor.model.records import Record
from advisor.model.storage.regular_files import content_of
from advisor.model.text.notebooks import is_notebook
from advisor.model.text.notebooks.json_text import OtherLanguage
from advisor.model.text.source_text import SourceText, decode_source
from advisor.model.text.syntax_trees import parses
from advisor.program.kernels.jit_expressions import Use
from advisor.program.launches.launched_as import LaunchedAs
from advisor.program.names.read_names import WORDS_FOR_ANY_NAME
from advisor.program.names.workspace import Workspace
from advisor.program.resolution.factory_calls import Callers
from advisor.program.syntax.gate import (
    is_damaged,
    launched_names,
    may_hold_array_code,
    may_hold_cuda_texts,
    may_hold_device_code,
    may_hold_triton_code,
    may_name_cuda_files,
    searchable,
)

# What the source is always searched for; no record of one of these means that there is none.
ENTITIES = (
    "kernel", "access", "atomic", "branch", "loop", "barrier", "array", "operation", "row", "name", "draw",
    "statement", "launch", "universal_call", "transfer", "synchronisation", "allocation", "host_loop",
    "launch_pair", "loader", "measurement", "capture", "captured_step", "early_read", "product",
    "matrix_product", "expression", "collective", "round_trip", "generator",
    "triton_kernel", "triton_access", "triton_dot", "triton_atomic", "triton_choice", "triton_loop",
    "triton_size", "triton_print", "triton_config", "triton_key", "triton_launch", "triton_pair",
    "triton_argument",
)  # fmt: skip
KERNEL_ENTITIES = ("kernel", "triton_kernel")
Step = Callable[[int, int], None]


@dataclass
class SourceEvidence:
    """Everything that the source of the checked files says; `read` are all files whose content was used.

    `unread` are, for each of them and of the workspace files with a syntax error, the lines of functions of
    which a part could not be read. `cuda_files` are those of CUDA C++ that checked files name.
    """

    records: list[Record] = field(default_factory=list)
    units: list[CompilationUnit] = field(default_factory=list)
    triton_units: list[TritonUnit] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    read: frozenset[str] = frozenset()
    unread: dict[str, frozenset[int]] = field(default_factory=dict)
    unrecognised: list[Unrecognised] = field(default_factory=list)
    cuda_files: frozenset[str] = frozenset()


def analyse(
    files: Sequence[Path],
    root: Path,
    *,
    workspace_files: Sequence[Path] = (),
    stdin: tuple[Path, SourceText] | None = None,
    with_units: bool = False,
    jobs: int = 1,
    step: Step | None = None,
    memory: AnalysisMemory | None = None,
) -> SourceEvidence:
    """The source evidence of `files`; `workspace_files` are others, read for launches only.

    `stdin` is a text that stands for a file. Files without CUDA code cost no more than finding that out, and
    neither do those that `memory` holds unchanged.
    """
    sorted_files = _Sieve(files, root, checked=True)
    if stdin is not None and stdin[0] not in sorted_files.device:
        sorted_files.device.append(stdin[0])
    if stdin is not None:
        sorted_files.add_cuda_texts(
            stdin[0], searchable(stdin[1].text.encode(errors="replace"), stdin[0].name)
        )
    concerned = sorted_files.device or sorted_files.launchers
    sorted_others = _Sieve(workspace_files if concerned else (), root)
    found = [*sorted_files.device, *sorted_others.device, *sorted_files.arrays]
    workers: AnalysisWorkers | RememberingWorkers
    if memory is not None and stdin is None:
        workers = RememberingWorkers(root, jobs if memory.unknown(root, found) > CHUNK else 1, memory)
    else:
        workers = AnalysisWorkers(root, jobs if len(found) > CHUNK else 1)
    try:
        return _run(workers, root, sorted_files, sorted_others, stdin, with_units, step)
    finally:
        workers.close()


class _Sieve:
    """Files with device code, and files that might launch a kernel of another file, with those names.

    `arrays` are files without it that use torch or cupy on a GPU. Of `checked` files device code is also
    Triton's, `cuda_texts` have kernels in CUDA C++ for CuPy, `cuda_files` are files of that language that
    they name, and `unreadable` are those that hold neither and do not parse; of others, `imports` are the
    words of their imports.
    """

    def __init__(self, files: Sequence[Path], root: Path, *, checked: bool = False) -> None:
        self.device: list[Path] = []
        self.launchers: dict[Path, frozenset[str]] = {}
        self.arrays: list[Path] = []
        self.unreadable: list[Path] = []
        self.cuda_texts: list[Path] = []
        self.cuda_files: dict[Path, None] = {}
        self._root = root
        self.imports: dict[Path, frozenset[str] | None] = {}
        self.files = files
        for file in files:
            try:
                data = content_of(file)
            except OSError:
                self.device.append(file)
                continue
            path = file.name
            words = searchable(data, path)
            if checked:
                self.add_cuda_texts(file, words)
            if not checked:
                self.imports[file] = imported_words(words, file)
            if (
                may_hold_device_code(words)
                or is_damaged(data, path)
                or (checked and may_hold_triton_code(words))
            ):
                self.device.append(file)
                continue
            if names := launched_names(words):
                self.launchers[file] = names
            is_test = is_test_path(str(file).removeprefix(str(root)))
            if may_hold_array_code(words, is_test=is_test):
                self.arrays.append(file)
            elif checked and not is_readable(data, path):
                self.unreadable.append(file)

    def add_cuda_texts(self, file: Path, words: bytes) -> None:
        """Note what a checked file has of CUDA C++, in itself or by the names of files."""
        if may_hold_cuda_texts(words):
            self.cuda_texts.append(file)
        if may_name_cuda_files(words):
            self.cuda_files |= dict.fromkeys(named_cuda_files(file, words, self._root))

    def related(self, files: Iterable[Path], names: Collection[str]) -> list[Path]:
        """Files with device code that import one of the files, directly or not, or have one of the names."""
        importers = importing(files, self.imports)
        return [file for file in self.device if file in importers or (names and words_of(file, names))]

    def launching(self, kernels: Collection[str]) -> list[Path]:
        """The files that launch one of the named kernels."""
        return [file for file, names in self.launchers.items() if not names.isdisjoint(kernels)]


def _run(
    workers: AnalysisWorkers | RememberingWorkers,
    root: Path,
    checked: _Sieve,
    others: _Sieve,
    stdin: tuple[Path, SourceText] | None,
    with_units: bool,
    step: Step | None,
) -> SourceEvidence:
    result = SourceEvidence()
    files = checked.device
    texts = {stdin[0]: stdin[1]} if stdin else {}
    own = workers.hosts(files, texts)
    related = others.related([*files, *checked.launchers], names_in(own).union(*checked.launchers.values()))
    hosts = [*own, *workers.hosts(related, texts, with_records=False)]
    by_name = kernels_by_name(hosts)
    launchers = checked.launching(by_name)
    launching = workers.hosts(launchers, {})
    arrays = workers.array_code(
        [file for file in checked.arrays if file not in launchers and file not in texts]
    )
    further = workers.hosts(others.launching(by_name), {}, with_records=False)
    launched = launched_as([*hosts, *launching, *further], by_name)
    parsed = {*files, *others.device, *launchers, *others.launching(by_name), *texts}
    unparsed = [file for file in (*checked.files, *others.files) if file not in parsed]
    paths = {host.path for host in own}
    kernels_here = [one for host in hosts for one in host.kernels if one[0].partition("::")[0] in paths]
    add_never_launched(
        launched, kernels_here, partial(_read, workers, list(parsed), texts), partial(_mentioned, unparsed)
    )
    unreadable = workers.array_code([file for file in checked.unreadable if file not in launchers])
    for host in [*hosts[: len(files)], *launching, *arrays, *unreadable]:
        result.problems += host.problems
        result.records += _linked(host, by_name)
        if host.text:
            result.texts[host.path] = host.text
        if host.unread:
            result.unread[host.path] = host.unread
    for host in [*hosts[len(files) :], *further]:
        # What the broken lines of another file name is nothing that a fix may change.
        if host.unread:
            result.unread[host.path] = host.unread
            result.texts[host.path] = host.text
    known_uses = set[Use]().union(*(host.known_uses for host in [*hosts, *launching, *further]))
    for host in [*hosts[: len(files)], *launching]:
        result.unrecognised += unrecognised_in(host, known_uses, by_name)
    seen: set[str] = set()
    factories = frozenset[str]().union(*(host.factories for host in hosts)) if with_units else frozenset()
    callers = factory_callers(factories, [*checked.files, *others.files], root)
    for done, kernels in enumerate(workers.kernels(files, launched, with_units, callers), 1):
        result.records += kernels.records
        # Two files may compile one function of a third.
        result.units += [unit for unit in kernels.units if unit.kernel not in seen]
        seen.update(unit.kernel for unit in kernels.units)
        result.triton_units += kernels.triton_units
        result.problems += kernels.problems
        result.texts.update(kernels.bodies)
        if kernels.text:
            result.texts[kernels.path] = kernels.text
        if step:
            step(done, len(files))
    _choose_triton_units(result, paths)
    _add_bodies(
        workers,
        hosts[: len(files)],
        hosts[len(files) :],
        related,
        launched,
        with_units,
        callers,
        result,
    )
    _add_cuda_kernels(checked.cuda_texts, texts, root, with_units, result)
    _add_cuda_files(list(checked.cuda_files), root, result)
    result.read = workers.files_read() | frozenset(map(str, checked.cuda_files))
    return result


def _choose_triton_units(result: SourceEvidence, paths: Collection[str]) -> None:
    """Leave one unit for each kernel of Triton in the checked files."""
    if result.triton_units:
        from advisor.evidence.source.triton.units.units import chosen_units

        result.triton_units = chosen_units(result.triton_units, paths)


def _add_cuda_files(files: Sequence[Path], root: Path, result: SourceEvidence) -> None:
    """Add the texts of files of CUDA C++, whose kernels are known once they are launched."""
    workspace = Workspace(root)
    texts = {workspace.report_path(file): cuda_file_text(file) for file in files}
    known = {path: text for path, text in texts.items() if text is not None}
    result.texts |= known
    result.cuda_files = frozenset(known)


def _add_cuda_kernels(
    files: Sequence[Path],
    texts: Mapping[Path, SourceText],
    root: Path,
    with_units: bool,
    result: SourceEvidence,
) -> None:
    """Add the kernels that checked files hold as literals of CUDA C++."""
    if not files:
        return
    from advisor.evidence.source.kernels.cuda_kernels import cuda_kernels

    workspace = Workspace(root)
    for file in files:
        found = cuda_kernels(file, workspace.report_path(file), texts.get(file))
        result.records += found.records
        if found.text:
            result.texts.setdefault(found.path, found.text)
        if with_units:
            result.units += found.units


def _add_bodies(
    workers: AnalysisWorkers | RememberingWorkers,
    own: Sequence[FileHost],
    others: Sequence[FileHost],
    files: Sequence[Path],
    launched: dict[str, LaunchedAs],
    with_units: bool,
    callers: Callers,
    result: SourceEvidence,
) -> None:
    """Add the kernels whose bodies stand in the checked files, and which other files compile."""
    compiling = [file for file, host in zip(files, others, strict=True) if bodies_elsewhere(own, host)]
    paths = {host.path for host in own}
    known = {one.key for one in result.records}
    for found in workers.kernels(compiling, launched, with_units, callers) if compiling else ():
        result.records += [one for one in found.records if one.path in paths and one.key not in known]
        known.update(one.key for one in found.records)
        seen = {unit.kernel for unit in result.units}
        result.units += [one for one in found.units if one.path in paths and one.kernel not in seen]
        result.problems += [one for one in found.problems if one.path in paths]
        result.texts.update({path: text for path, text in found.bodies.items() if path in paths})


def bodies_elsewhere(own: Iterable[FileHost], other: FileHost) -> set[str]:
    """The keys of the kernels that another file compiles of functions of one's own, which do not."""
    known = {key for host in own for key, _ in host.kernels}
    paths = {host.path for host in own}
    return {key for key, _ in other.kernels if key.partition("::")[0] in paths} - known


def unrecognised_in(
    host: FileHost, known: Collection[Use], by_name: Mapping[str, set[str]]
) -> list[Unrecognised]:
    """What a file has of `cuda.jit` that no kernel or device function was recognised from, and of
    launches whose kernels were not seen; at most one.
    """
    uses = tuple(dict.fromkeys(line for path, line, column in host.uses if (path, line, column) not in known))
    launches = tuple(line for line, name in host.unseen_launches if name not in by_name)
    return [Unrecognised(host.path, uses, launches)] if uses or launches else []


def launched_as(hosts: Iterable[FileHost], by_name: Mapping[str, set[str]]) -> dict[str, LaunchedAs]:
    """How each kernel is launched; benchmarks speak only for kernels that nothing but tests launches besides,
    and tests for those launched nowhere else.
    """
    tests: dict[str, LaunchedAs] = {}
    benchmarks: dict[str, LaunchedAs] = {}
    programs: dict[str, LaunchedAs] = {}
    for host in hosts:
        known = benchmarks if holds_benchmarks(host.path) else tests if holds_tests(host.path) else programs
        for seen in host.launches:
            named = only_one(by_name.get(seen.name, set())) if seen.kernels is None else None
            for target in ((named,) if named else ()) if seen.kernels is None else seen.kernels:
                launched = known.setdefault(target, LaunchedAs())
                launched.note(
                    seen.block, seen.rounded_axes, seen.types, seen.extents, seen.orders, seen.given,
                    seen.same, seen.cuts_data,
                )  # fmt: skip
                if seen.stated is not None:
                    launched.stated.append(seen.stated)
    for launched in tests.values():
        launched.by_tests = True
    return {**tests, **benchmarks, **programs}


def _mentioned(files: Sequence[Path], names: Collection[str]) -> set[str]:
    """Those of some names that are words of one of the files, comments included."""
    return set[str]().union(*(words_of(file, names) for file in files))


def _read(
    workers: AnalysisWorkers | RememberingWorkers,
    files: Sequence[Path],
    texts: Mapping[Path, SourceText],
    names: Collection[str],
) -> frozenset[str]:
    """The names read by those of the files that have one of some names, or a word that may stand for any."""
    asked = {*names, *WORDS_FOR_ANY_NAME}
    return workers.names_read([file for file in files if file in texts or words_of(file, asked)], texts)


def names_in(hosts: Iterable[FileHost]) -> frozenset[str]:
    """The names by which files tell their kernels and launches from others."""
    found: set[str] = set()
    for host in hosts:
        found.update(name for _, names in host.kernels for name in names)
        found.update(launch.name for launch in host.launches)
        found.update(name for _, name in host.unseen_launches)
    return frozenset(found)


def kernels_by_name(hosts: Iterable[FileHost]) -> dict[str, set[str]]:
    """The keys of all kernels that go by a name."""
    found: dict[str, set[str]] = {}
    for host in hosts:
        for key, names in host.kernels:
            for name in names:
                found.setdefault(name, set()).add(key)
    return found


def only_one(keys: set[str]) -> str | None:
    """The key where there is just one, else None."""
    return next(iter(keys)) if len(keys) == 1 else None


def _linked(host: FileHost, by_name: Mapping[str, set[str]]) -> list[Record]:
    """The records of a file; a launch whose kernel was not resolved goes to the only kernel of that name, but
    not where the name is known to stand for something else.
    """
    return with_device_launches(
        record
        if record.owner
        else replace(record, owner=only_one(by_name.get(record.label, set())))
        if record.entity == "launch" and record.owner is None
        else replace(record, owner=None)
        for record in host.records
    )


def is_readable(data: bytes, path: str) -> bool:
    """Whether the bytes of a file parse, of a notebook those of all cells; one for another language does.

    A few files that parse are not called readable; none that does not parse is.
    """
    if not is_notebook(path):
        return parses(data)
    from advisor.model.text.notebooks.joined_text import cells_of

    try:
        return not cells_of(decode_source(data, path).text).left_out()
    except OtherLanguage:
        return True
    except SourceProblem:
        return False
