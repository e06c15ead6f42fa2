"""Commands on a history in PostgreSQL, and what they say where it cannot be used; no password is printed."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kept_runs import facts, fingerprint
from postgresql_server import OWNER_PASSWORD, PostgresqlServer
from program_in_process import run_advisor

from advisor.model.devices import find_device
from advisor.model.errors import AdvisorError, UsageError
from advisor.model.findings import Report
from advisor.model.history import schema
from advisor.model.history.addresses import without_secrets
from advisor.model.history.fingerprint import Run
from advisor.model.history.postgresql import database as of_postgresql
from advisor.model.history.postgresql.connecting import connect
from advisor.model.history.postgresql.roles import roles_sql
from advisor.model.history.store import HistoryStore
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config

pytest.importorskip("psycopg")

SECRET = "s3cret-w0rd"
REPORT = Path(__file__).parents[2] / "data" / "reports" / "case-study-before.csv"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("ADVISOR_HISTORY", raising=False)
    (tmp_path / "pyproject.toml").write_text("[tool.advisor]\n")
    return tmp_path


def configured(project: Path, address: str) -> Path:
    (project / "pyproject.toml").write_text(f'[tool.advisor]\nhistory = "{address}"\n')
    return project


def recorded(address: str, *labels: str) -> None:
    store = HistoryStore(Path(), address)
    for at, label in enumerate(labels):
        store.add_run(Run(facts(label, "a100-80gb"), fingerprints=(fingerprint(mean=4.0 / (at + 1)),)))
    store.close()


def refused(project: Path, *argv: str) -> str:
    """What a command says that ends with status 2: one sentence without any part of a password."""
    begun = time.monotonic()
    done = run_advisor(project, *argv)
    assert (done.returncode, done.stdout) == (2, "")
    assert time.monotonic() - begun < 8.0
    assert done.stderr.startswith("advisor: error: ")
    assert done.stderr.count("\n") == 1, done.stderr
    for secret in (SECRET, OWNER_PASSWORD, "secret", "Traceback"):
        assert secret not in done.stderr
    return done.stderr


def test_a_report_and_a_diff_of_what_was_recorded(server: PostgresqlServer, project: Path) -> None:
    configured(project, server.schema("commands"))
    recorded(server.address(more="?options=-csearch_path%3Dcommands"), "before", "after")
    (project / "k.py").write_text("")
    found = json.loads(run_advisor(project, "report", "after", "--no-run", "--format", "json").stdout)
    assert [one["name"] for one in found["devices"][0]["kernels"]] == ["add"]
    found = run_advisor(project, "diff", "before", "after").stdout
    assert "From run 1 (before" in found
    assert "to run 2 (after" in found
    assert not (project / ".advisor").exists()


def test_the_environment_comes_before_the_configuration(
    server: PostgresqlServer, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = server.schema("environment")
    configured(project, "elsewhere.sqlite")
    monkeypatch.setenv("ADVISOR_HISTORY", address)
    recorded(address, "only there")
    assert "No run is called `nobody`. The latest are 1 (only there)." in refused(
        project, "diff", "nobody", "1"
    )


def test_the_configuration_may_name_another_file(project: Path) -> None:
    configured(project, "kept/here.sqlite")
    recorded(str(project / "kept" / "here.sqlite"), "in a file")
    assert "The latest are 1 (in a file)." in refused(project, "report", "nobody")
    assert sorted(one.name for one in (project / "kept").iterdir())[0] == "here.sqlite"


def test_a_copy_there_and_back(server: PostgresqlServer, project: Path) -> None:
    recorded(str(project / ".advisor" / "history.sqlite"), "before", "after")
    address = server.schema("copied")
    done = run_advisor(project, "history", "copy", ".", address)
    at = f"postgresql://owner@127.0.0.1:{server.port}/postgres"
    assert done.stdout == f"Copied 2 runs with 2 fingerprints to {at}.\n"
    again = run_advisor(project, "history", "copy", ".", address).stdout
    assert again == f"Copied 0 runs with 0 fingerprints to {at}; 2 were there already.\n"
    run_advisor(project, "history", "copy", address, "back.sqlite")
    first, back = HistoryStore(project), HistoryStore(project, "back.sqlite")
    assert [back.run(number) for number in (1, 2)] == [first.run(number) for number in (1, 2)]
    for one in (first, back):
        one.close()
    assert "There is no history in" in refused(project, "history", "copy", "nothing.sqlite", address)
    assert "cannot be copied into itself" in refused(project, "history", "copy", address, address)


def test_nobody_answers(project: Path) -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    configured(project, f"postgresql://ann:{SECRET}@127.0.0.1:{port}/history")
    at = f"postgresql://ann@127.0.0.1:{port}/history"
    for command in (["report"], ["diff", "1", "2"], ["history", "prepare"]):
        said = refused(project, *command)
        assert f"The history {at} cannot be reached: " in said
        assert "Connection refused" in said or "connection failed" in said


def test_a_server_that_says_nothing(project: Path) -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        address = f"postgresql://ann:{SECRET}@127.0.0.1:{one.getsockname()[1]}/history?connect_timeout=2"
        said = refused(configured(project, address), "report")
    assert "cannot be reached: " in said
    assert "timeout" in said


def test_a_wrong_password(server: PostgresqlServer, project: Path) -> None:
    configured(project, server.address(password=SECRET))
    assert 'password authentication failed for user "owner"' in refused(project, "report")


def test_a_database_that_is_not_there(server: PostgresqlServer, project: Path) -> None:
    assert 'database "nowhere" does not exist' in refused(
        configured(project, server.address("nowhere")), "report"
    )


def test_a_history_that_is_empty(server: PostgresqlServer, project: Path) -> None:
    configured(project, server.schema("empty"))
    said = refused(project, "report")
    assert f"There is no history in postgresql://owner@127.0.0.1:{server.port}/postgres yet" in said


def test_roles_may_do_what_their_sql_gives_them_and_no_more(server: PostgresqlServer, project: Path) -> None:
    owner = server.database("shared")
    said = run_advisor(project, "history", "prepare", owner).stdout
    assert said == f"The history postgresql://owner@127.0.0.1:{server.port}/shared is ready (format 2).\n"
    for _ in range(2):  # once more does no harm
        server.run_sql(run_advisor(project, "history", "roles").stdout, "shared")
    for role, group in (("rita", "advisor_reader"), ("rex", "advisor_recorder"), ("nora", "")):
        server.run_sql(f"CREATE ROLE {role} LOGIN PASSWORD '{SECRET}' {f'IN ROLE {group}' if group else ''}")
    reader, recorder, nobody = (server.address("shared", role, SECRET) for role in ("rita", "rex", "nora"))
    recorded(recorder, "first")
    store = HistoryStore(Path(), reader)
    assert store.run(store.find("first")).fingerprints == (fingerprint(mean=4.0),)
    with pytest.raises(
        AdvisorError, match=r"role here may not record in .* `advisor history roles` prints what"
    ):
        store.add_run(Run(facts()))
    store.close()
    store = HistoryStore(Path(), recorder)
    run = store.begin(facts("second"))
    store.add(run, fingerprint())
    store.end(run, {"x": 1.0})
    for statement in (
        "DELETE FROM fingerprints", "UPDATE fingerprints SET mean_ms = 0", "UPDATE runs SET started = 0",
        "DELETE FROM runs", "TRUNCATE runs", "UPDATE history_format SET version = 9", "DROP TABLE kernels",
    ):  # fmt: skip
        with pytest.raises(AdvisorError, match="may not record in"), store.database.transaction() as at:
            at.execute(statement)
    assert [one.facts.label for one in store.runs()] == ["second", "first"]
    store.close()
    assert "may not read the history" in refused(configured(project, nobody), "report")


def test_a_reader_that_imports_a_report_is_told(server: PostgresqlServer, project: Path) -> None:
    owner = server.database("read_only")
    recorded(owner, "first")
    server.run_sql(roles_sql("readers_here", "recorders_here"), "read_only")
    server.run_sql(f"CREATE ROLE rosa LOGIN PASSWORD '{SECRET}' IN ROLE readers_here")
    configured(project, server.address("read_only", "rosa", SECRET))
    shutil.copy(REPORT, project / "report.csv")
    assert "The role here may not record in the history" in refused(project, "import", "report.csv")


def test_tables_that_a_role_may_not_make(server: PostgresqlServer, project: Path) -> None:
    server.database("bare")
    server.run_sql(f"CREATE ROLE paul LOGIN PASSWORD '{SECRET}'")
    address = server.address("bare", "paul", SECRET)
    shutil.copy(REPORT, project / "report.csv")
    for command in (["import", "report.csv"], ["history", "prepare"]):
        said = refused(configured(project, address), *command)
        assert "may not make the tables of the history" in said
        assert "Its owner makes them by `advisor history prepare`." in said
    assert "There is no history in" in refused(project, "report")


@pytest.mark.parametrize("name", ["", "a b", "x; DROP ROLE y", "Ann", "é", "1st", "a" * 64])
def test_names_of_roles_that_sql_would_have_to_quote(name: str) -> None:
    with pytest.raises(UsageError, match="is no name for a role"):
        roles_sql(reader=name)


def test_tables_of_a_newer_version(server: PostgresqlServer, project: Path) -> None:
    address = server.database("newer")
    recorded(address, "first")
    server.run_sql("UPDATE history_format SET version = 9", "newer")
    configured(project, address)
    for command in (["report"], ["history", "prepare"], ["diff", "1", "1"]):
        said = refused(project, *command)
        assert "was written by a newer version of Kernel Advisor (format 9; this one knows 2)" in said
    assert server.run_sql("SELECT version FROM history_format", "newer") == [(9,)]


def test_tables_of_an_earlier_version_are_brought_to_this_one(
    server: PostgresqlServer, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A later version, with one more column: its owner decides when the others can read no longer."""
    address = server.database("earlier")
    recorded(address, "first")
    configured(project, address)

    def steps(found: int, dialect: schema.Dialect) -> list[str]:
        assert found == 2
        return [f"ALTER TABLE runs ADD COLUMN room {dialect.text}", "UPDATE runs SET room = 'cold'"]

    monkeypatch.setattr(of_postgresql, "VERSION", 3)
    monkeypatch.setattr(schema, "VERSION", 3)
    monkeypatch.setattr(of_postgresql, "statements", steps)
    said = refused(project, "report", "first")
    assert "was made by an earlier version of Kernel Advisor (format 2; this one writes 3)" in said
    assert run_advisor(project, "history", "prepare").returncode == 0
    assert server.run_sql("SELECT version, room FROM history_format, runs", "earlier") == [(3, "cold")]
    store = HistoryStore(project, address)
    assert store.add_run(Run(facts())) == 2
    store.close()


def test_tables_of_something_else_are_left_as_they_are(server: PostgresqlServer, project: Path) -> None:
    address = server.database("other")
    server.run_sql("CREATE TABLE kernels (mine TEXT)", "other")
    assert 'cannot be used: relation "kernels" already exists.' in refused(
        configured(project, address), "history", "prepare"
    )
    names = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
    assert server.run_sql(names, "other") == [("kernels",)]


def test_parameters_go_to_the_driver(server: PostgresqlServer, project: Path) -> None:
    """The server here speaks no TLS, so who asks for it is refused, and who names an odd mode is told."""
    said = refused(configured(project, server.address(more="?sslmode=require")), "report")
    assert "server does not support SSL" in said
    said = refused(configured(project, server.address(more="?sslmode=sometimes")), "report")
    assert "invalid sslmode value" in said
    said = refused(configured(project, server.address(more="?sslmod=require")), "report")
    assert 'is not one of PostgreSQL: invalid URI query parameter: "sslmod".' in said


@pytest.mark.usefixtures("server")  # where there is none, none is started
def test_tls_with_a_certificate_that_is_verified(project: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl here to make a certificate with")
    for name in ("server", "other"):
        subprocess.run(
            ["openssl", "req", "-new", "-x509", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
             "subjectAltName=IP:127.0.0.1", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
             "-keyout", str(project / f"{name}.key"), "-out", str(project / f"{name}.crt")],
            check=True, capture_output=True,
        )  # fmt: skip
    server = PostgresqlServer(certificate=(project / "server.crt", project / "server.key"))
    try:
        for mode in ("verify-full", "verify-ca"):
            address = server.address(more=f"?sslmode={mode}&sslrootcert={project / 'server.crt'}")
            recorded(address, "encrypted")
            with connect(address) as connection:
                seen = connection.execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
                assert seen.fetchone() == (True,)
        address = server.address(more=f"?sslmode=verify-full&sslrootcert={project / 'other.crt'}")
        assert "certificate verify failed" in refused(configured(project, address), "report")
    finally:
        server.stop()


def test_a_password_goes_to_no_server_in_clear_text(server: PostgresqlServer, project: Path) -> None:
    """A server that asks for the password itself may be anybody's, unless its certificate is verified."""
    rules = server.folder / "data" / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text("host all curious 127.0.0.1/32 password\n" + before)
    server.run_sql("SELECT pg_reload_conf()")
    server.run_sql(f"CREATE ROLE curious LOGIN PASSWORD '{SECRET}'")
    try:
        said = refused(configured(project, server.address(user="curious", password=SECRET)), "report")
        assert "authentication method requirement" in said
        willing = server.address(user="curious", password=SECRET, more="?require_auth=password")
        assert "There is no history in" in refused(configured(project, willing), "report")
    finally:
        rules.write_text(before)
        server.run_sql("SELECT pg_reload_conf()")


def test_keywords_of_libpq_are_no_path_of_a_file(project: Path) -> None:
    said = refused(configured(project, f"host=db user=ann password={SECRET}"), "report")
    assert "write it as postgresql://USER@HOST/DATABASE." in said


def test_what_is_kept_lies_on_the_disk_where_the_server_would_wait(server: PostgresqlServer) -> None:
    address = server.database("hurried")
    for given, used in (("off", "on"), ("local", "local")):
        server.run_sql(f"ALTER DATABASE hurried SET synchronous_commit = {given}")
        with connect(address) as connection:
            assert connection.execute("SHOW synchronous_commit").fetchone() == (used,)


def test_an_editor_asks_no_server(project: Path) -> None:
    from lsp_server.evidence.collectors import DiskCollectors

    settings = Config(root=project, history=f"postgresql://ann:{SECRET}@127.0.0.1:1/h")
    options = CheckOptions("a100-80gb", project, evidence="measured", settings=settings)
    device = find_device("a100-80gb")
    report = Report(device.name)
    assert DiskCollectors(None).measured([], {"k.py": ""}, device, options, report).records == ()
    (said,) = report.notices
    assert said.startswith("The editor asks no server for its history;")


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://ann:{SECRET}@x@127.0.0.1:1/h",
        f"postgresql://ann:x/{SECRET}@127.0.0.1:1/h",
        f"postgresql://ann:x?{SECRET}@127.0.0.1:1/h",
        f"postgresql://ann:{SECRET}%zz@127.0.0.1:1/h",
        f"postgresql://ann:{SECRET}@127.0.0.1:port/h",
        f"postgresql://127.0.0.1:1/h?user=ann&password={SECRET}",
        f"postgresql://127.0.0.1:1/h?user=ann&password={SECRET}&nonsense=1",
        f"postgres://ann:{SECRET}@[::1/h",
        f"mysql://ann:{SECRET}@127.0.0.1/h",
        f"postgresql+psycopg://ann:{SECRET}@127.0.0.1/h",
        "postgresql://ann@127.0.0.1:1/h?sslkeylogfile=keys",
    ],
)
def test_addresses_that_are_wrong(project: Path, address: str) -> None:
    configured(project, address)
    refused(project, "report")
    refused(project, "history", "copy", ".", address, "more")
    refused(project, "check", f"--config=history = '{address}'", "--config=devise = 1")
    for options in ([], ["--format", "json"]):
        told = run_advisor(project, "doctor", *options)
        assert told.returncode == 0
        assert SECRET not in told.stdout + told.stderr


def test_a_fault_of_the_program_shows_no_password(monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    from advisor.cli.commands import report

    def fail(_: object) -> int:
        raise ValueError(f"postgresql://ann:{SECRET}@h/d is odd")

    monkeypatch.setattr(report, "run", fail)
    done = run_advisor(project, "report")
    assert "ValueError: postgresql://ann@h/d is odd" in done.stderr
    assert SECRET not in done.stderr


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see postgresql://ann:pw@h:1/d?password=x now", "see postgresql://ann@h:1/d now"),
        ("postgres://h/d", "postgres://h/d"),
        ("postgresql:///d?host=/run", "postgresql:///d"),
        ("postgresql://ann:p@w@h/d", "postgresql://***"),
        ("'postgresql://ann:pw@h/d'", "'postgresql://ann@h/d'"),
        ("https://ann:pw@h/d", "https://ann:pw@h/d"),
    ],
)
def test_how_addresses_are_shown(text: str, shown: str) -> None:
    assert without_secrets(text) == shown


def test_without_the_driver_one_sentence_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, project: Path
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    said = refused(configured(project, f"postgresql://ann:{SECRET}@127.0.0.1/h"), "report")
    assert "pip install 'kernel-advisor[postgresql]'" in said


def test_a_check_goes_on_without_the_history(project: Path) -> None:
    configured(project, f"postgresql://ann:{SECRET}@127.0.0.1:1/h")
    (project / "k.py").write_text("from numba import cuda\n\n@cuda.jit\ndef k(a):\n    a[0] = 1\n")
    done = run_advisor(project, "check", "k.py", "--evidence", "measured", "--no-run")
    assert done.returncode != 2
    assert "cannot be reached" in done.stdout + done.stderr
    assert "The check goes on without it." in done.stdout + done.stderr
    assert SECRET not in done.stdout + done.stderr
