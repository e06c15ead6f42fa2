"""What kernels wait for, and the questions that a diagnosis asks, from `knowledge/diagnosis.toml`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from advisor.model.data_files import knowledge_folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class BoundClass:
    """A class of kernels by what they wait for: its limiters (values of `time_limiter`) and its questions."""

    id: str
    title: str
    limiters: tuple[str, ...]
    text: str
    steps: tuple[str, ...]


@dataclass(frozen=True)
class Question:
    """One question: the rules that answer it with yes, and the kernel's metrics that it is about.

    `helps` are the resources that a remedy relieves.
    """

    id: str
    question: str
    metrics: tuple[str, ...]
    rules: tuple[str, ...]
    helps: frozenset[str]
    always: bool


@dataclass(frozen=True)
class DiagnosisTree:
    """Classes, questions by id, and the numbers that tell near limits and small launches."""

    classes: tuple[BoundClass, ...]
    questions: dict[str, Question]
    limits: Mapping[str, str]
    close: float
    memory_good: float
    memory_poor: float
    compute_good: float
    compute_poor: float
    launch_ms: float
    actions: int
    assumed: float
    first: int
    first_from: int

    def class_of(self, limiter: str) -> BoundClass | None:
        """The class that a limiter belongs to."""
        return next((one for one in self.classes if limiter in one.limiters), None)

    def limit_in_words(self, limiter: str) -> str:
        """What every page calls a value of `time_limiter`; another name stays as it is."""
        return " or ".join(self.limits.get(one, one) for one in limiter.split(" or "))

    def relieved_by(self, rule: str) -> frozenset[str]:
        """The resources that a remedy of a rule relieves; none where the tree does not say."""
        return frozenset().union(*(one.helps for one in self.questions.values() if rule in one.rules))

    def questions_for(self, found: BoundClass | None) -> list[Question]:
        """The questions of a class in their order, those for every kernel last; all where none is known."""
        chosen = list(found.steps) if found else [one.id for one in self.questions.values() if not one.always]
        chosen += [one.id for one in self.questions.values() if one.always and one.id not in chosen]
        return [self.questions[name] for name in chosen]


@cache
def diagnosis_tree() -> DiagnosisTree:
    """The tree of the knowledge base."""
    data = tomllib.loads((knowledge_folder() / "diagnosis.toml").read_text("utf-8"))
    classes = tuple(
        BoundClass(one["id"], one["title"], tuple(one["limiters"]), one["text"], tuple(one["steps"]))
        for one in data["classes"]
    )
    questions = {
        one["id"]: Question(
            one["id"],
            one["question"],
            tuple(one.get("metrics", ())),
            tuple(one["rules"]),
            frozenset(one.get("helps", ())),
            one.get("always", False),
        )
        for one in data["steps"]
    }
    return DiagnosisTree(classes, questions, data["limits"], **data["numbers"])
