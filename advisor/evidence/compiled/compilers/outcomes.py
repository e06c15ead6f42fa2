"""Has units compiled: one by one by processes of this machine, or in parts by workers elsewhere."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass

from advisor.evidence.compiled.compile_requests import code_comes_along, code_keys, compile_keys
from advisor.evidence.compiled.compilers.machine_code import MachineCode
from advisor.evidence.compiled.compilers.process import Worker
from advisor.evidence.compiled.compilers.unit_answers import answer
from advisor.evidence.compiled.compilers.worker_pool import Outcome, WorkerPool, WorkerStock, own_stock
from advisor.evidence.compiled.evidence import Target
from advisor.model.compilation_unit import CompilationUnit
from advisor.model.errors import EvidenceUnavailable
from advisor.model.processes.units_of_work import Executor, Task, content_key, in_chunks

# So many are disassembled at once; see `MachineCode`.
_CHUNK = 16

_Compiled = tuple[CompilationUnit, Outcome]


@dataclass(frozen=True)
class Asked:
    """What is asked of every unit: for which target, within how many seconds, whether `several` are compiled
    and so read together, whether their code to execute is wanted, and with `other_typings`.
    """

    target: Target
    timeout: float
    several: bool
    with_codes: bool
    other_typings: bool

    def work(self, worker: Worker, unit: CompilationUnit) -> Outcome:
        """What a compiler's process makes of a unit; machine code is not read yet."""
        kept = {"keep_ptx": True} if self.several else {}
        executed = self.with_codes and unit.cuda is None
        with_code = executed and (self.other_typings or code_comes_along(unit))
        return answer(worker, unit, self.target, self.timeout, kept, with_code)


class Compiling:
    """Has units compiled by at most `jobs` processes, those of `stock` first, or by an executor elsewhere.

    `unavailable` says at the end why some were not.
    """

    def __init__(
        self, asked: Asked, jobs: int, stock: WorkerStock | None, executor: Executor | None = None
    ) -> None:
        self.unavailable: EvidenceUnavailable | None = None
        self._asked, self._jobs, self._stock = asked, jobs, stock
        self._executor = executor if executor is not None and executor.elsewhere else None

    def outcomes(self, units: Sequence[CompilationUnit]) -> Generator[_Compiled, None, None]:
        """The units with what became of them, in the order in which they are done."""
        return self._here(units) if self._executor is None else self._elsewhere(units, self._executor)

    def _here(self, units: Sequence[CompilationUnit]) -> Generator[_Compiled, None, None]:
        with WorkerPool(self._jobs, self._asked.work, self._stock) as pool:
            yield from MachineCode(pool, self._asked.target, self._asked.timeout).outcomes(pool.run(units))
            self.unavailable = pool.unavailable

    def _elsewhere(
        self, units: Sequence[CompilationUnit], executor: Executor
    ) -> Generator[_Compiled, None, None]:
        chunks = in_chunks(units, executor.at_once, _CHUNK)
        tasks = (Task(self._key(chunk), _compiled_chunk, (self._asked, tuple(chunk))) for chunk in chunks)
        with closing(executor.results(tasks)) as results:
            for number, (found, unavailable) in results:
                self.unavailable = self.unavailable or unavailable
                for place, outcome in found:
                    yield chunks[number][place], outcome

    def _key(self, chunk: Sequence[CompilationUnit]) -> str:
        target = self._asked.target
        keys = [compile_keys(chunk, target, 0), code_keys(chunk, target)]
        return content_key("compile", asdict(self._asked), keys)


def _compiled_chunk(
    asked: Asked, units: Sequence[CompilationUnit]
) -> tuple[list[tuple[int, Outcome]], EvidenceUnavailable | None]:
    """What became of units, by their places, with one compiler of this process."""
    places = {id(unit): place for place, unit in enumerate(units)}
    here = Compiling(asked, 1, own_stock())
    found = [(places[id(unit)], outcome) for unit, outcome in here.outcomes(units)]
    return found, here.unavailable
