"""The values of names while a kernel is walked, with the way back to where branches part."""

from __future__ import annotations

from advisor.evidence.source.kernel_walk.kernel_facts import Value


class NamedValues(dict[str, Value]):
    """Values by name; names are given values and never removed.

    A branch costs what it assigns, however many names there are: each assignment keeps what it replaces.
    """

    def __init__(self, given: dict[str, Value] | None = None) -> None:
        super().__init__(given or {})
        self._replaced: list[tuple[str, Value | None]] = []

    def __setitem__(self, name: str, value: Value) -> None:
        self._replaced.append((name, self.get(name)))
        super().__setitem__(name, value)

    def update(self, given: dict[str, Value]) -> None:  # type: ignore[override]
        """Give each of some names its value."""
        for name, value in given.items():
            self[name] = value

    def entry(self) -> int:
        """The present place among all assignments, to come back to."""
        return len(self._replaced)

    def before(self, entry: int) -> dict[str, Value | None]:
        """What the names assigned since `entry` had there, None for no value."""
        return dict(reversed(self._replaced[entry:]))

    def taken_back_to(self, entry: int) -> dict[str, Value]:
        """What the names assigned since `entry` have; after that all names have what they had there."""
        before = self.before(entry)
        found = {name: self[name] for name in before}
        del self._replaced[entry:]
        for name, value in before.items():
            if value is None:
                del self[name]
            else:
                super().__setitem__(name, value)
        return found
