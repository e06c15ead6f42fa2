"""Values that are computed again only when what decides them has changed.

A `Memo` belongs to the object whose questions it answers. To each question it keeps the latest value, with a
key: the content that decides the value, such as a text or its digest, the stamps of files, or an object that
never changes, compared by its identity (`SameObject`). A question that is asked with another key is answered
again. Inputs that are only known once the value is, for instance the files that a file imports, are given
with the value; they are compared whenever the question is asked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from advisor.model.storage.file_stamp import FileStamp

Question = TypeVar("Question", bound=Hashable)
Value = TypeVar("Value")
State = Callable[[str], object]


@dataclass(frozen=True, slots=True, eq=False)
class SameObject:
    """Part of a key: equal only to one of the same object, which is kept alive and must not change."""

    value: object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameObject) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


@dataclass(frozen=True, slots=True)
class _Answer(Generic[Value]):
    key: object
    inputs: Mapping[str, object]
    value: Value


class Memo(Generic[Question, Value]):
    """The latest values of at most `most` questions; those not asked about for longest are dropped.

    Any thread may ask. Two that ask at once for what is not known may both compute it; the later value stays.
    Values are shared with all who ask, so nobody may change them. None is no value.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._answers: dict[Question, _Answer[Value]] = {}
        self._asked: set[Question] = set()
        self._lock = threading.Lock()

    def value(self, question: Question, key: object, compute: Callable[[], Value]) -> Value:
        """The value of a question where `key` decides it; what `compute` raises is raised, and not kept."""
        known = self.find(question, key)
        return self.keep(question, key, compute()) if known is None else known

    def find(self, question: Question, key: object, state: State = FileStamp.of) -> Value | None:
        """The value that was kept with an equal key, None where there is none or an input has changed.

        `state` gives the present state of an input: of a file, its stamp.
        """
        with self._lock:
            answer = self._answers.get(question)
        if answer is None or answer.key != key:
            return None
        if any(state(name) != before for name, before in answer.inputs.items()):
            return None
        with self._lock:
            self._use(question, answer)
        return answer.value

    def keep(
        self, question: Question, key: object, value: Value, inputs: Mapping[str, object] | None = None
    ) -> Value:
        """Keep a value, and return it. `inputs` are what else it rests on, by name, with its state."""
        with self._lock:
            self._use(question, _Answer(key, inputs or {}, value))
            while self._most is not None and len(self._answers) > self._most:
                dropped = next(iter(self._answers))
                del self._answers[dropped]
                self._asked.discard(dropped)
        return value

    def knows(self, question: Question) -> bool:
        """Whether a value of the question is kept, whatever decided it."""
        with self._lock:
            return question in self._answers

    def drop_unasked(self) -> None:
        """Drop what was neither found nor kept since this was last called."""
        with self._lock:
            self._answers = {one: at for one, at in self._answers.items() if one in self._asked}
            self._asked = set()

    def forget(self, question: Question) -> None:
        """Drop what is kept of a question."""
        with self._lock:
            self._answers.pop(question, None)

    def _use(self, question: Question, answer: _Answer[Value]) -> None:
        """Put an answer behind all others, in the order of their last use."""
        self._answers.pop(question, None)
        self._answers[question] = answer
        self._asked.add(question)
