"""Where a history lies: a file of SQLite, or a database of PostgreSQL, by its address."""

from __future__ import annotations

import re
from pathlib import Path

from advisor.model.errors import UsageError
from advisor.model.history.database import FILE, FOLDER, Database

VARIABLE = "ADVISOR_HISTORY"
_POSTGRESQL = ("postgresql", "postgres")
_KEYWORDS = re.compile(r"(?:^|\s)(?:host|hostaddr|user|password|dbname|service)\s*=")
_ADDRESS = re.compile(r"(postgres(?:ql)?)://([^\s\"'`]*)", re.IGNORECASE)


def database_at(root: Path, address: str = "") -> Database:
    """The database at an address: a path from `root`, `postgresql://…`, or "" for the project's own file.

    Nothing is opened yet. Raises UsageError for an address of anything else.
    """
    scheme, mark, _ = address.partition("://")
    if scheme.lower() in _POSTGRESQL and mark:
        from advisor.model.history.postgresql.database import PostgresqlDatabase

        return PostgresqlDatabase(address)
    if not mark and _KEYWORDS.search(address):
        raise UsageError(
            "The address of the history looks like keywords of libpq (`host=… password=…`); write it as "
            "postgresql://USER@HOST/DATABASE."
        )
    if mark:
        raise UsageError(
            f"A history at {scheme}://… is not known: it is the path of a file of SQLite, or "
            "postgresql://USER@HOST/DATABASE."
        )
    from advisor.model.history.sqlite_file import SqliteFile

    return SqliteFile(root / Path(address).expanduser() if address else root / FOLDER / FILE)


def is_of_server(address: str) -> bool:
    """Whether an address is one of a server, not the path of a file."""
    return "://" in address


def without_secrets(text: str) -> str:
    """A text in which addresses of PostgreSQL have no password and no parameters."""
    return _ADDRESS.sub(_shown, text) if "://" in text else text


def is_ambiguous(address: str) -> bool:
    """Whether an address of PostgreSQL has an @ where none may be: one of the password's, most likely.

    Drivers read parts of such a password as host or port, and say these in messages.
    """
    _, _, rest = address.partition("://")
    authority, path, query = _parts(rest)
    return authority.count("@") > 1 or "@" in path or ("@" in query and "@" not in authority)


def _parts(rest: str) -> tuple[str, str, str]:
    """Authority, path and parameters of what stands behind `://`."""
    before, _, query = rest.partition("?")
    authority, slash, path = before.partition("/")
    return authority, slash + path, query


def _shown(found: re.Match[str]) -> str:
    scheme, rest = found[1], found[2]
    if is_ambiguous(found[0]):
        return f"{scheme}://***"
    authority, path, _ = _parts(rest)
    user, at, host = authority.rpartition("@")
    return f"{scheme}://{user.partition(':')[0]}{at}{host}{path}"
