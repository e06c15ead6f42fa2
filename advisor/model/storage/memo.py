"""Values that are computed again only when what decides them has changed.

A `Memo` belongs to the object whose questions it answers. To each question it keeps the latest value, with a
key: the content that decides the value, such as a text or its digest, the stamps of files, or an object that
never changes, compared by its identity (`SameObject`). A question that is asked with another key is answered
again. Inputs that are only known once the value is, for instance the files that a file imports, are given
with the value; they are compared whenever the question is asked.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
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


@dataclass(slots=True, eq=False)
class _Answer(Generic[Value]):
    """A value with all that decided it, and the round in which it was last asked for."""

    key: object
    inputs: Mapping[str, object]
    value: Value
    round: int


class Memo(Generic[Question, Value]):
    """The latest values of at most `most` questions; those not asked about for longest are dropped.

    An owner who gives no `most` bounds it with `drop_unasked`, or by what it asks about. Any thread may ask.
    Two that ask at once for what is not known may both compute it; the later value stays. Values are shared
    with all who ask, so nobody may change them. None is no value.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._answers: OrderedDict[Question, _Answer[Value]] = OrderedDict()
        self._round = 0
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
            answer.round = self._round
            if self._most is not None and question in self._answers:
                self._answers.move_to_end(question)
        return answer.value

    def keep(
        self, question: Question, key: object, value: Value, inputs: Mapping[str, object] | None = None
    ) -> Value:
        """Keep a value, and return it. `inputs` are what else it rests on, by name, with its state."""
        with self._lock:
            self._answers[question] = _Answer(key, inputs or {}, value, self._round)
            if self._most is not None:
                self._answers.move_to_end(question)
                while len(self._answers) > self._most:
                    self._answers.popitem(last=False)
        return value

    def latest(self, question: Question) -> Value | None:
        """The value that was kept last, whatever decided it and whether or not that has changed."""
        with self._lock:
            answer = self._answers.get(question)
        return None if answer is None else answer.value

    def values(self) -> list[Value]:
        """The values that are kept."""
        with self._lock:
            return [answer.value for answer in self._answers.values()]

    def drop_unasked(self) -> None:
        """Drop what was neither found nor kept since this was last called."""
        with self._lock:
            unasked = [one for one, answer in self._answers.items() if answer.round != self._round]
            for question in unasked:
                del self._answers[question]
            self._round += 1

    def forget(self, question: Question) -> None:
        """Drop what is kept of a question."""
        with self._lock:
            self._answers.pop(question, None)
