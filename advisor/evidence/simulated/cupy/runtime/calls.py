"""Methods that answer functions of CuPy's modules, by the names that CuPy gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_Method = TypeVar("_Method", bound=Callable[..., Any])


def answers(*names: str) -> Callable[[_Method], _Method]:
    """A decorator: the method answers the functions of these names."""

    def mark(method: _Method) -> _Method:
        method.answered_names = names  # type: ignore[attr-defined]
        return method

    return mark


def answered(*owners: object) -> dict[str, Callable[..., Any]]:
    """The methods of objects by the names of what they answer."""
    return {
        name: getattr(owner, attribute)
        for owner in owners
        for attribute in dir(type(owner))
        for name in getattr(getattr(type(owner), attribute), "answered_names", ())
    }
