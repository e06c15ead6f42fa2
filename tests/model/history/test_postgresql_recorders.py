"""What can happen to recorders of a history in PostgreSQL, done for real to a server of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from kept_runs import facts, fingerprint
from postgresql_server import PostgresqlServer

from advisor.model.errors import AdvisorError
from advisor.model.history.fingerprint import Run
from advisor.model.history.postgresql import database
from advisor.model.history.store import HistoryStore

_HERE = Path(__file__).parent
_WRITER = """\
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from kept_runs import facts, fingerprint
from advisor.model.history.store import HistoryStore

store = HistoryStore(Path(), {address!r})
run = store.begin(facts("killed"))
for number in range(10**9):
    store.add(run, fingerprint(f"kernel{{number % 50}}", mean=float(number + 2)))
    print(number, flush=True)
"""


def means(store: HistoryStore, run: int) -> list[float]:
    """The times of a run, in the order in which they were kept."""
    return [one.timing.mean for one in store.run(run).fingerprints if one.timing]


def test_fifty_recorders_at_once(server: PostgresqlServer) -> None:
    """All know the same kernels, which the first of them make together."""
    address = server.schema("fifty")
    failed: list[BaseException] = []
    together = threading.Barrier(50)

    def record(number: int) -> None:
        store = HistoryStore(Path(), address)
        try:
            together.wait()
            kernels = [fingerprint(f"kernel{one}", mean=float(2 + one)) for one in range(8)]
            whole = Run(facts(f"whole {number}"), fingerprints=tuple(kernels[:: 1 if number % 2 else -1]))
            store.add_run(whole)
            run = store.begin(facts(f"one by one {number}"))
            for one in kernels:
                store.add(run, one)
            store.end(run)
        except BaseException as error:
            failed.append(error)
        finally:
            store.close()

    threads = [threading.Thread(target=record, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    store = HistoryStore(Path(), address)
    runs = store.runs()
    assert Counter(run.status for run in runs) == {"done": 100}
    expected = [float(2 + one) for one in range(8)]
    for run in runs:
        turned = run.facts.label.startswith("whole") and int(run.facts.label.split()[-1]) % 2 == 0
        assert means(store, run.id or 0) == (expected[::-1] if turned else expected), run.facts.label
    store.close()


def test_what_was_added_before_the_recorder_was_killed_is_kept(server: PostgresqlServer) -> None:
    address = server.schema("client_killed")
    code = _WRITER.format(tests=str(_HERE), address=address)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout is not None
    told = [process.stdout.readline() for _ in range(20)]
    store = HistoryStore(Path(), address)
    assert [run.status for run in store.runs()] == ["running"]
    process.send_signal(signal.SIGKILL)
    told += process.communicate()[0].splitlines()
    said = len([line for line in told if line.strip()]) - 1  # the last line may be torn
    wait_until(lambda: store.runs()[0].status == "broken off")
    kept = means(store, 1)
    assert len(kept) >= said >= 19
    assert kept == [float(number + 2) for number in range(len(kept))]
    store.close()


@pytest.mark.usefixtures("server")  # where there is none, none is started
def test_what_was_added_before_the_server_was_killed_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recorders that were within a transaction are told so; the others notice nothing."""
    monkeypatch.setattr(database, "_SECONDS_TO_RETURN", 60.0)
    server = PostgresqlServer()
    address = server.address()
    said: dict[int, list[float]] = {}
    told: list[str] = []
    others: list[BaseException] = []
    all_record, stop = threading.Barrier(5, timeout=60.0), threading.Event()

    def record(number: int) -> None:
        store = HistoryStore(Path(), address)
        try:
            run = store.begin(facts(f"recorder {number}"))
            said[run] = []
            try:
                while not stop.is_set():
                    mean = float(2 + len(said[run]))
                    store.add(run, fingerprint(mean=mean))
                    said[run].append(mean)
                    if mean == 20.0:
                        all_record.wait()
            except AdvisorError as error:
                told.append(str(error))
            store.add_run(Run(facts("after"), fingerprints=(fingerprint(),)))
        except BaseException as error:
            others.append(error)
        finally:
            store.close()

    threads = [threading.Thread(target=record, args=(number,)) for number in range(4)]
    try:
        for thread in threads:
            thread.start()
        all_record.wait()
        server.kill()
        server.start()
        stop.set()
        for thread in threads:
            thread.join()
        assert others == []
        assert all("was lost" in one and "What was recorded before it is kept." in one for one in told)
        store = HistoryStore(Path(), address)
        assert Counter(run.facts.label for run in store.runs())["after"] == 4
        for run, those in said.items():
            kept = means(store, run)
            assert len(those) >= 19
            # The transaction in which the connection was lost may have been kept and not been said.
            assert kept[: len(those)] == those
            assert len(kept) <= len(those) + 1
        store.close()
    finally:
        stop.set()
        server.stop()


def test_a_connection_that_is_lost_within_a_transaction_leaves_nothing(server: PostgresqlServer) -> None:
    address = server.schema("within")
    store = HistoryStore(Path(), address)
    store.add_run(Run(facts("before"), fingerprints=(fingerprint(),)))
    with pytest.raises(AdvisorError, match=r"connection to the history .* was lost: .*administrator"):  # noqa: SIM117
        with store.database.transaction() as at:
            at.execute("UPDATE runs SET label = 'changed'")
            end_connections(server)
            at.execute("UPDATE runs SET status = 'failed'")
    assert [(run.facts.label, run.status) for run in store.runs()] == [("before", "done")]
    store.close()


def test_a_connection_that_is_lost_between_two_fingerprints_is_made_again(server: PostgresqlServer) -> None:
    address = server.schema("between")
    store, other = HistoryStore(Path(), address), HistoryStore(Path(), address)
    run = store.begin(facts())
    store.add(run, fingerprint(mean=2.0))
    end_connections(server)
    store.add(run, fingerprint(mean=3.0))
    assert (other.runs()[0].status, means(other, run)) == ("running", [2.0, 3.0])
    end_connections(server)
    assert means(other, run) == [2.0, 3.0]
    store.end(run)
    assert other.runs()[0].status == "done"
    for one in (store, other):
        one.close()


def end_connections(server: PostgresqlServer) -> None:
    ended = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
    server.run_sql(f"{ended} WHERE pid <> pg_backend_pid() AND application_name = 'kernel-advisor'")


def wait_until(what: Callable[[], bool]) -> None:
    end = time.monotonic() + 10.0
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)
