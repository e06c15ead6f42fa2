"""Whether a check has looked at what a mark or an example is about: a verdict on nothing says nothing."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from advisor.check.pipeline import Checked
from advisor.evidence.metrics.tables import KERNEL_ENTITIES
from advisor.model.findings import Problem
from advisor.model.text.syntax_trees import syntax_tree
from advisor.rules.evaluation.findings import HOST_ENTITIES, REFUSAL_ENTITIES
from advisor.rules.model import Rule, Rulebook

_MAKERS = {"kernel": "Numba", "triton_kernel": "Triton"}


@dataclass(frozen=True)
class LookedAt:
    """Says of files and lines that were checked why they were not looked at.

    Their paths are those in the report, from `folder`.
    """

    checked: Checked
    folder: Path
    rulebook: Rulebook

    def file_left_out(self, path: str, rule: Rule, may_be_unknown: bool = False) -> str:
        """Why a rule's verdict on a file says nothing, "" where it was looked at.

        With `may_be_unknown` what could not be had of a kernel is no reason.
        """
        problem = next(iter(self._problems(path, rule)), None)
        kernels = self._rows(path, tuple(KERNEL_ENTITIES))
        if problem is not None and not (may_be_unknown and kernels):
            return _told(problem)
        maker = self._kernel_of(rule.entity)
        if maker is not None and not self._rows(path, (maker,)):
            return f"there is no kernel of {_MAKERS[maker]} in it"
        return ""

    def line_left_out(self, path: str, line: int, rule: Rule | None) -> str:
        """Why the verdict of a rule (None for a fix) on a line says nothing, "" where it was looked at."""
        problems = self._problems(path, rule)
        functions = self._functions(path)
        if functions is None:
            return _told(problems[0]) if problems else "the file cannot be parsed"
        around = next((lines for lines in functions if line in lines), None)
        for problem in problems:
            if around is None or problem.line in around:
                return _told(problem)
        if rule is None or around is None or self._kernel_of(rule.entity) is None:
            return ""
        if rule.entity in HOST_ENTITIES:
            return ""
        told = self._rows(path, tuple(self.checked.tables or {}))
        return "" if told & set(around) else "the function around it is no kernel"

    def _problems(self, path: str, rule: Rule | None) -> list[Problem]:
        """What could not be looked at in a file; some rules look at kernels that no compiler takes."""
        report = self.checked.report
        told = [] if rule is not None and rule.entity in REFUSAL_ENTITIES else report.told
        return [one for one in (*report.problems, *told) if one.path == path]

    def _kernel_of(self, entity: str) -> str | None:
        """The kind of kernels that an entity belongs to, None for one of host code."""
        owners, at = self.rulebook.owner_entity(), entity
        while at not in KERNEL_ENTITIES:
            owner = owners.get(at)
            if owner is None:
                return None
            at = owner
        return at

    def _rows(self, path: str, entities: tuple[str, ...]) -> set[int]:
        """The lines of the records of some entities in a file."""
        tables = self.checked.tables or {}
        return {
            span.line
            for entity in entities
            if entity in tables
            for own, span in zip(tables[entity].paths, tables[entity].spans, strict=True)
            if own == path
        }

    def _functions(self, path: str) -> list[range] | None:
        """The lines of the outermost functions of a file, None where it does not parse."""
        try:
            tree = syntax_tree((self.folder / path).read_bytes())
        except (SyntaxError, ValueError):
            return None
        return [_lines(one) for one in _outermost(tree.body)]


def _told(problem: Problem) -> str:
    return f"{problem.path}:{problem.line}: {problem.message}".rstrip(".")


def _outermost(body: list[ast.stmt]) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            found.append(statement)
        else:
            inner = [one for one in ast.iter_child_nodes(statement) if isinstance(one, ast.stmt)]
            found += _outermost(inner)
    return found


def _lines(function: ast.stmt) -> range:
    decorators = getattr(function, "decorator_list", [])
    first = min([function.lineno, *(one.lineno for one in decorators)])
    return range(first, (function.end_lineno or function.lineno) + 1)
