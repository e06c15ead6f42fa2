"""A server of PostgreSQL for tests: Debian's programs, a folder, a port and a socket of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

OWNER, OWNER_PASSWORD = "owner", "the owner's: 100% secret/word?"
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "120",
    # The machine does not lose its power in these tests: what is written outlives every process.
    "fsync": "off",
    "shared_buffers": "64MB",
    "max_wal_size": "256MB",
    "log_min_messages": "panic",
}


def programs() -> Path | None:
    """The folder of the server's programs, None where it is not installed or cannot be run."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda one: int(one.parts[-3]))
    first = shutil.which("initdb")
    folder = found[-1].parent if found else Path(first).parent if first else None
    return folder if folder is not None and _user() is not None else None


def _user() -> str | None:
    """Who runs the server, which refuses to be run by root."""
    if os.name != "posix":
        return None
    import pwd

    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name
    names = {one.pw_name for one in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in names), None)


class PostgresqlServer:
    """A server that runs until it is stopped; the role OWNER owns everything."""

    def __init__(
        self, more: dict[str, str] | None = None, certificate: tuple[Path, Path] | None = None
    ) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="advisor-pg-"))
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._more = dict(more or {})
        self._user = _user() or ""
        shutil.chown(self.folder, self._user)
        self.folder.chmod(0o755)
        self._initialise()
        if certificate is not None:
            self._speak_tls(certificate)
        self.start()

    def _initialise(self) -> None:
        words = self.folder / "password"
        words.write_text(OWNER_PASSWORD)
        shutil.chown(words, self._user)
        options = ["-U", OWNER, "-A", "scram-sha-256", f"--pwfile={words}", "-E", "UTF8", "--locale=C", "-N"]
        self._run("initdb", "-D", str(self.folder / "data"), *options)

    def _speak_tls(self, certificate: tuple[Path, Path]) -> None:
        for name, file in zip(("ssl_cert_file", "ssl_key_file"), certificate, strict=True):
            copied = Path(shutil.copy(file, self.folder / name))
            copied.chmod(0o600)
            shutil.chown(copied, self._user)
            self._more[name] = str(copied)
        self._more["ssl"] = "on"

    def _run(self, name: str, *options: str) -> None:
        folder = programs()
        assert folder is not None
        subprocess.run(
            [str(folder / name), *options], check=True, capture_output=True, cwd=self.folder,
            **self._as_user(),
        )  # fmt: skip

    def _as_user(self) -> dict[str, str]:
        return {"user": self._user, "group": _group(self._user)} if os.geteuid() == 0 else {}

    def start(self) -> None:
        """Start the server and wait until it answers."""
        folder = programs()
        assert folder is not None
        settings = {
            **_SETTINGS, "port": str(self.port), "unix_socket_directories": str(self.folder), **self._more,
        }  # fmt: skip
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(folder / "postgres"), "-D", str(self.folder / "data"), *options],
                stdout=log, stderr=log, cwd=self.folder, **self._as_user(),
            )  # fmt: skip
        self._wait()

    def _wait(self) -> None:
        end = time.monotonic() + 60.0
        while not self._answers():
            assert self._process is not None
            assert self._process.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < end, (self.folder / "log").read_text()
            time.sleep(0.05)

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.address("postgres"), connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    def address(
        self, database: str = "postgres", user: str = OWNER, password: str = OWNER_PASSWORD, more: str = ""
    ) -> str:
        """The address of a database of the server."""
        words = quote(password, safe="")
        return f"postgresql://{quote(user, safe='')}:{words}@127.0.0.1:{self.port}/{database}{more}"

    def run_sql(self, sql: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """What a statement of the owner's returns."""
        import psycopg

        with psycopg.connect(self.address(database), autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    def database(self, name: str) -> str:
        """The address of a new database."""
        self.run_sql(f'CREATE DATABASE "{name}"')
        return self.address(name)

    def schema(self, name: str) -> str:
        """The address of a new schema in the first database."""
        self.run_sql(f'CREATE SCHEMA "{name}"')
        return self.address(more=f"?options=-csearch_path%3D{name}")

    def kill(self) -> None:
        """End the server as a loss of power would, and wait until its processes have seen it."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        end = time.monotonic() + 30.0
        while self._lives() and time.monotonic() < end:
            time.sleep(0.02)

    def _lives(self) -> bool:
        """Whether a process of the server is left: each has the folder of its data as its own."""
        data = str((self.folder / "data").resolve())
        for one in Path("/proc").glob("[0-9]*/cwd"):
            try:
                if str(one.readlink()) == data:
                    return True
            except OSError:
                continue
        return False

    def stop(self) -> None:
        """End the server at once and remove its folder."""
        if self._process is not None and self._process.poll() is None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def stop_process(self) -> None:
        """End the server as its owner does."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


def _group(user: str) -> str:
    import grp
    import pwd

    return grp.getgrgid(pwd.getpwnam(user).pw_gid).gr_name


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
