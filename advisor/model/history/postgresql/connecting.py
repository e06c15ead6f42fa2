"""Connections to a server of PostgreSQL, and its failures in one sentence without secrets."""

from __future__ import annotations

import logging
import os
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from advisor.model.errors import AdvisorError, UsageError
from advisor.model.history.addresses import is_ambiguous, without_secrets

if TYPE_CHECKING:
    import psycopg

_SECONDS_TO_CONNECT = 5
# Nobody waits long for a lock, and what is said to be kept lies on the disk, whatever the server does else.
_SETTINGS = """
SELECT set_config('lock_timeout', '30s', false),
    set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), false)
"""
# The first libpq that knows `require_auth`.
_LIBPQ_16 = 160000


def connect(address: str) -> psycopg.Connection[tuple[Any, ...]]:
    """A connection in which each statement is a transaction, unless one is begun.

    Parameters of the address go to libpq as they are (`sslmode`, `sslrootcert`, `options`, `service` …), and
    what it does not name comes from libpq's own environment and password file. A password is not sent in
    clear text, unless the address says `require_auth` or the server's certificate is verified.
    Raises UsageError for a wrong address or without the driver, AdvisorError where nobody answers.
    """
    driver = _driver()
    parameters = _parameters(address, driver)
    try:
        connection: psycopg.Connection[tuple[Any, ...]] = driver.connect(
            "", autocommit=True, prepare_threshold=None, **parameters
        )
        try:
            connection.execute(_SETTINGS)
        except BaseException:
            connection.close()
            raise
    except (driver.Error, OSError) as error:
        name = without_secrets(address)
        raise AdvisorError(f"The history {name} cannot be reached: {reason(error, address)}") from None
    return connection


def _driver() -> Any:
    try:
        import psycopg
    except ImportError as error:
        raise UsageError(
            "A history in PostgreSQL needs its driver, which is not installed here or does not load "
            f"({error}): pip install 'kernel-advisor[postgresql]'."
        ) from None
    # What it logs of a connection that was lost is told in our own sentence.
    if not (log := logging.getLogger("psycopg")).handlers:
        log.addHandler(logging.NullHandler())
    return psycopg


def _parameters(address: str, driver: Any) -> dict[str, Any]:
    name = without_secrets(address)
    if is_ambiguous(address):
        raise UsageError(
            f"The address of the history {name} has an @ where none may be: in a password write @ as %40, "
            ": as %3A, / as %2F, ? as %3F and % as %25."
        )
    try:
        found: dict[str, Any] = driver.conninfo.conninfo_to_dict(address)
    except driver.Error as error:
        raise UsageError(
            f"The address of the history {name} is not one of PostgreSQL: {reason(error, address)}"
        ) from None
    if "sslkeylogfile" in found:
        raise UsageError(
            f"The address of the history {name} must not name a file that TLS keys are written to."
        )
    if "PGCONNECT_TIMEOUT" not in os.environ:
        found.setdefault("connect_timeout", _SECONDS_TO_CONNECT)
    found.setdefault("fallback_application_name", "kernel-advisor")
    verified = found.get("sslmode", os.environ.get("PGSSLMODE")) == "verify-full"
    if not verified and driver.pq.version() >= _LIBPQ_16 and "PGREQUIREAUTH" not in os.environ:
        found.setdefault("require_auth", "!password")
    found["client_encoding"] = "utf8"
    return found


def reason(error: BaseException, address: str) -> str:
    """What an error says first, as the end of a sentence, without the address's secrets."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else type(error).__name__
    for secret in _secrets(address):
        text = text.replace(secret, "***")
    return without_secrets(text).rstrip(".") + "."


def _secrets(address: str) -> list[str]:
    """Passwords in an address, as they are written and as they are meant, the longest first."""
    _, _, rest = address.partition("://")
    found = re.findall(r"^[^:@/?]*:(.*)@", rest) + re.findall(r"[?&][^=&]*(?i:password)[^=&]*=([^&]*)", rest)
    every = {each for one in found for each in (one, unquote(one)) if each}
    return sorted(every, key=len, reverse=True)
