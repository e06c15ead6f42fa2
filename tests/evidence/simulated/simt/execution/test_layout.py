"""Words of the tables that Python and compiled code share."""

from __future__ import annotations

import inspect
from enum import Enum

import pytest

from advisor.evidence.simulated.simt.vector import layout
from advisor.evidence.simulated.simt.vector.layout import Word

TABLES = [
    one for _, one in inspect.getmembers(layout, inspect.isclass) if issubclass(one, Enum) and list(one)
]


def test_all_tables_are_found() -> None:
    assert {"Context", "State", "Site", "Defect"} <= {table.__name__ for table in TABLES}


@pytest.mark.parametrize("table", TABLES)
def test_a_word_is_written_as_digits_by_every_python(table: type[Enum]) -> None:
    # Python 3.10 writes an IntEnum as the name of the member, later ones as a number.
    assert issubclass(table, Word)
    assert "__str__" in vars(Word)
    assert [str(one) for one in table] == [f"{one}" for one in table] == [str(one.value) for one in table]
