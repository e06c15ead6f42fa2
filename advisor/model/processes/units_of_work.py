"""Units of work, and what has them done: processes of this machine, or workers elsewhere.

A command gives tasks to an `Executor` and takes results in any order; it does not know where they are made.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Result = TypeVar("Result")


@dataclass(frozen=True)
class Task(Generic[Result]):
    """One unit of work: `work(*arguments)`.

    `key` is made by `content_key` of all that decides the result: a result is made once for equal keys. What
    leaves this process must be a function of a module, with arguments that can be pickled. What `held` and
    `place` of an executor gave may be among the arguments; the function gets what they stand for. With
    `on_gpu` it needs a GPU for itself.
    """

    key: str
    work: Callable[..., Result]
    arguments: tuple[Any, ...] = ()
    on_gpu: bool = False


class Place(Protocol):
    """The files of a project where a task can reach them."""

    @property
    def digest(self) -> str:
        """Changes with the files; empty where nobody asks."""

    def opened(self) -> AbstractContextManager[Path]:
        """A context with the project's root; what is written there is gone afterwards, unless it is the
        user's own project.
        """

    def told(self, text: str, root: Path) -> str:
        """A text that speaks of files below the `root` that was opened, as it would in the user's project."""


@dataclass(frozen=True)
class Here:
    """The user's own project."""

    root: Path
    digest: str = ""

    def opened(self) -> AbstractContextManager[Path]:
        """A context with the project itself."""
        return nullcontext(self.root)

    def told(self, text: str, root: Path) -> str:
        """The text as it is."""
        del root
        return text


class Executor(Protocol):
    """Has tasks done. Any thread may ask.

    Raises AdvisorError where work cannot be done any more, or not by these workers, and what a task raises.
    """

    @property
    def at_once(self) -> int:
        """How many tasks are done at a time."""

    @property
    def gpus(self) -> bool:
        """Whether tasks can be done that need a GPU, as far as is known without trying."""

    @property
    def elsewhere(self) -> bool:
        """Whether processes do them that share neither memory nor files with this one."""

    def results(
        self, tasks: Iterable[Task[Result]], until: float | None = None
    ) -> Generator[tuple[int, Result], None, None]:
        """The places of tasks in `tasks` with their results, in the order in which they are there.

        Ends early at the time `until` (of `time.monotonic`), and ends what is under way when it is closed.
        """

    def result(self, task: Task[Result]) -> Result:
        """The result of a task."""

    def held(self, task: Task[Any]) -> Any:
        """What stands for the result of a task in the arguments of others; it stays where they are done."""

    def place(self, root: Path) -> Any:
        """What stands for the `Place` of a project, as it is now, in the arguments of tasks; it has the
        `digest` of the files.
        """


class ThisMachine:
    """Has tasks done by threads of this process, each of which waits for processes that it starts."""

    elsewhere = False
    gpus = True

    def __init__(self, jobs: int) -> None:
        self.at_once = max(1, jobs)

    def results(
        self, tasks: Iterable[Task[Result]], until: float | None = None
    ) -> Generator[tuple[int, Result], None, None]:
        """The results; `until` bounds nothing here, where those who ask end what they have started."""
        # Most checks have nothing done.
        from concurrent.futures import ThreadPoolExecutor, as_completed

        del until
        waiting = list(tasks)
        with ThreadPoolExecutor(max(1, min(self.at_once, len(waiting)))) as threads:
            futures: dict[Future[Result], int] = {
                threads.submit(task.work, *task.arguments): number for number, task in enumerate(waiting)
            }
            for future in as_completed(futures):
                yield futures[future], future.result()

    def result(self, task: Task[Result]) -> Result:
        """The result, made by the thread that asks."""
        return task.work(*task.arguments)

    def held(self, task: Task[Any]) -> Any:
        """The result itself."""
        return task.work(*task.arguments)

    def place(self, root: Path) -> Here:
        """The project itself."""
        return Here(root)


def in_order(results: Iterable[tuple[int, Result]]) -> list[Result]:
    """All results, in the order of their tasks."""
    return [result for _, result in sorted(results, key=lambda one: one[0])]


def content_key(name: str, *parts: Any) -> str:
    """A key for what `parts` decide, as JSON values; `name` says what is done."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return f"{name}-{hashlib.sha256(text.encode()).hexdigest()}"


def in_chunks(items: Sequence[Result], at_once: int, most: int) -> list[Sequence[Result]]:
    """The items in neighbouring parts of at most `most`, several for each of those who work at once."""
    size = max(1, min(most, -(-len(items) // (4 * at_once))))
    return [items[start : start + size] for start in range(0, len(items), size)]
