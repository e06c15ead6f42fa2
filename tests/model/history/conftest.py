"""The server that the tests of a history in PostgreSQL share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from postgresql_server import PostgresqlServer, programs


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresqlServer]:
    pytest.importorskip("psycopg")
    if programs() is None:
        pytest.skip("there is no server of PostgreSQL here (Debian: postgresql)")
    started = PostgresqlServer()
    yield started
    started.stop()
