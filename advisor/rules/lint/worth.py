"""Rules about speed that do not say what their remedy gains."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.rules.lint.asked import Asked
from advisor.rules.lint.remarks import Remark, of_rule
from advisor.rules.policy import shipped_policy


def look(asked: Asked) -> Iterator[Remark]:
    """The remarks about rules of the categories whose level follows from gains.

    A rule that rests on a profiler's numbers may bound its gain by these alone.
    """
    of_speed = shipped_policy().gain.categories
    for rule in asked.rules:
        said = rule.without or rule.without_nothing or rule.gain is not None
        if rule.category in of_speed and not said and not rule.deprecated:
            yield of_rule("L118", rule)
