"""How long questions to a history of ten million fingerprints take on a server of PostgreSQL.

    python benchmarks/history/ten_million.py [--runs 200000] [--times 9]

Starts a server of its own (the programs of Debian's package `postgresql`), fills a history with 50 kernels in
each run, on four devices in turn, records two full runs by the program itself, asks what `diff`, `budget`,
`report` and `check` ask, kills recorders and server (`recorders.py`), and removes everything. With 200,000
runs it takes six minutes and 6 GB of disk. The rows are leaner than a profile's, 0.5 KB in place of 4, but
for those that the program records.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

_HERE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(_HERE), str(_HERE / "tests" / "processes"), str(Path(__file__).parent)]

from commands import full_fingerprint  # noqa: E402
from postgresql_server import PostgresqlServer  # noqa: E402
from recorders import said_and_kept  # noqa: E402

from advisor.model.history.fingerprint import Fingerprint, Run, RunFacts  # noqa: E402
from advisor.model.history.identity import Definition  # noqa: E402
from advisor.model.history.store import HistoryStore  # noqa: E402
from advisor.runs.comparison.ranking.scaling import kept_scaling  # noqa: E402

_KERNELS = 50
_PER_FILE = 5
_DEVICES = ("a100-80gb", "h100-sxm", "l4", "rtx-4090")
_TIMES = 1000
_SETTINGS = {
    "shared_buffers": "512MB", "maintenance_work_mem": "512MB", "wal_level": "minimal",
    "max_wal_senders": "0", "max_wal_size": "1GB", "fsync": "on", "checkpoint_timeout": "30min",
    "autovacuum": "off",
}  # fmt: skip

_RUNS = """
INSERT INTO runs (kind, label, command, started, ended, device, executed_on, toolchain, commit_id, dirty,
    status, metrics, notes, host, process)
SELECT CASE WHEN n % 10 = 0 THEN 'import' ELSE 'profile' END, 'build ' || n, 'advisor profile .',
    1.6e9 + 600.0 * n, 1.6e9 + 600.0 * n + 60.0, (ARRAY[{devices}])[1 + n % 4], 'NVIDIA', '{{}}',
    md5(n::text) || '00000000', 0, 'done', '{{}}', '[]', '{{}}', 'elsewhere 1'
FROM generate_series(1, {runs}) n
"""
_KERNEL_ROWS = """
INSERT INTO kernels (path, name, source, device)
SELECT 'kernels_' || k / {per_file} * {per_file} || '.py', 'kernel_' || k, 'measured', device
FROM generate_series(0, {kernels} - 1) k, unnest(ARRAY[{devices}]) device
"""
# A kernel's text changes every 4,000 runs; it is launched with five sizes in turn.
_FINGERPRINTS = """
INSERT INTO fingerprints (run, kernel, line, source_hash, types, grid, block, dynamic_shared, launches,
    mean_ms, timing, metrics, lines, ranges)
SELECT r.id, k.id, 5, md5((r.id / 4000)::text), '["array(float32, 2d, C)"]',
    (32 << (r.id / 4 % 5)::int) || ' 1 1', '256 1 1', 0, 1, t.ms,
    format('[5,%1$s,%1$s,0.02,%2$s,%3$s,[%1$s,%2$s,%3$s,%1$s,%1$s]]', t.ms, t.ms - 0.2, t.ms + 0.2),
    format('{{"flops":%s,"dram_bytes":%s,"registers":40,"achieved_occupancy":0.61,"l2_hit_rate":0.44,'
        '"theoretical_occupancy":0.75,"latency_ms":%s,"time_cv":0.02}}', t.ms * 1e9, t.ms * 1e8, t.ms),
    '[]', '[]'
FROM runs r JOIN kernels k ON k.device = r.device
CROSS JOIN LATERAL (SELECT round((random() + (r.id / 4 % 5) + 1)::numeric, 4) AS ms WHERE r.id > 0) t
ORDER BY r.id, k.id
"""
_INDICES = (
    "fingerprints_of_run ON fingerprints (run)",
    "fingerprints_of_kernel ON fingerprints (kernel, run)",
)


def fill(server: PostgresqlServer, address: str, runs: int) -> None:
    """Make the tables and their rows in one transaction, which then needs no log of them."""
    import psycopg

    store = HistoryStore(Path(), address)
    store.database.prepare()
    store.close()
    parts = {
        "devices": ", ".join(f"'{one}'" for one in _DEVICES),
        "runs": runs,
        "kernels": _KERNELS,
        "per_file": _PER_FILE,
    }
    with psycopg.connect(address) as connection:
        connection.execute("TRUNCATE fingerprints, kernels, runs RESTART IDENTITY")
        connection.execute("ALTER TABLE fingerprints DROP CONSTRAINT fingerprints_run_fkey")
        connection.execute("ALTER TABLE fingerprints DROP CONSTRAINT fingerprints_kernel_fkey")
        for name in _INDICES:
            connection.execute(f"DROP INDEX {name.split()[0]}".encode())
        for statement in (_RUNS, _KERNEL_ROWS, _FINGERPRINTS):
            connection.execute(statement.format(**parts).encode())
        for name in _INDICES:
            connection.execute(f"CREATE INDEX {name}".encode())
        for key, table in (("run", "runs"), ("kernel", "kernels")):
            connection.execute(
                f"ALTER TABLE fingerprints ADD FOREIGN KEY ({key}) REFERENCES {table}(id)".encode()
            )
    server.run_sql("VACUUM ANALYZE", address.rpartition("/")[2])


def record_full_runs(address: str) -> Fingerprint:
    """Record two runs as a profile does, and print what they take; a fingerprint of the last."""
    store = HistoryStore(Path(), address)
    store.exists()
    chance = random.Random(1)
    taken, those = [], []
    for number in (1, 2):
        those = [
            full_fingerprint(at, _path(at), Definition(f"kernel_{at}", 5, f"{1:032x}"), chance)
            for at in range(_KERNELS)
        ]
        facts = RunFacts("profile", f"full {number}", "advisor profile .", time.time(), _DEVICES[0], "NVIDIA")
        begun = time.perf_counter()
        store.add_run(Run(facts, {"total_latency_ms": 100.0}, tuple(those)))
        taken.append(time.perf_counter() - begun)
    print(f"recording a run of {_KERNELS} kernels: {min(taken) * 1e3:.0f} ms")
    store.close()
    return those[0]


def _path(at: int) -> str:
    return f"kernels_{at // _PER_FILE * _PER_FILE}.py"


def questions(store: HistoryStore, runs: int) -> dict[str, Callable[[], object]]:
    """What commands ask, by what they are called."""
    old = store.run(runs - 1).fingerprints
    device = store.facts_of(runs - 1).facts.device
    name, path = old[0].identity.name, old[0].identity.path
    commit = store.facts_of(runs // 2).facts.commit or ""
    return {
        "`diff`: two full runs by `latest~1` and `latest`": lambda: [
            store.run(store.find(one)) for one in ("latest~1", "latest")
        ],
        "`diff`: two runs by label and by commit": lambda: [
            store.run(store.find(one)) for one in ("build 77", commit)
        ],
        "`budget`, `report`: the latest of all 50 kernels on all four devices": store.latest,
        "`budget` with an exponent, scaling in `report`: a kernel over five sizes": lambda: kept_scaling(
            store, old[0], device
        ),
        "the same of the ten kernels that `report` shows": lambda: [
            kept_scaling(store, one, device) for one in old[:10]
        ],
        f"trend: the latest {_TIMES} times of a kernel on each of four devices": lambda: store.times(
            name, path, _TIMES
        ),
        "`check`: what was measured of the five kernels of a file": lambda: store.kernel_runs(path or ""),
        "the 20 latest runs": lambda: store.runs(most=20),
    }


def ask(address: str, runs: int, last: Fingerprint, times: int) -> None:
    """Print what each question takes: the first after the server's start, then the median and the most."""
    store = HistoryStore(Path(), address)
    begun = time.perf_counter()
    store.exists()
    print(f"driver, connection, version of the tables: {(time.perf_counter() - begun) * 1e3:.0f} ms")
    print("| question | first | median | most |\n|---|---|---|---|")
    for name, question in questions(store, runs).items():
        _print(name, [_milliseconds(question) for _ in range(times)])
    facts = RunFacts("profile", "one by one", "advisor profile .", time.time(), _DEVICES[0], "NVIDIA")
    number = store.begin(facts)
    _print("recording one fingerprint", [_milliseconds(lambda: store.add(number, last)) for _ in range(100)])
    store.end(number)
    store.close()


def _milliseconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1e3


def _print(name: str, taken: list[float]) -> None:
    rest = taken[1:] or taken
    numbers = " | ".join(f"{one:.1f} ms" for one in (taken[0], statistics.median(rest), max(rest)))
    print(f"| {name} | {numbers} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=200_000)
    parser.add_argument("--times", type=int, default=9)
    args = parser.parse_args()
    server = PostgresqlServer(_SETTINGS)
    try:
        address = server.database("history")
        begun = time.perf_counter()
        fill(server, address, args.runs)
        counted = "SELECT (SELECT count(*) FROM fingerprints), pg_database_size('history')"
        ((rows, size),) = server.run_sql(counted, "history")
        taken = time.perf_counter() - begun
        print(f"{rows:,} fingerprints, {float(str(size)) / 1e9:.1f} GB, in {taken:.0f} s", flush=True)
        last = record_full_runs(address)
        server.stop_process()
        server.start()
        ask(address, args.runs, last, args.times)
        said_and_kept(server, address, 50, 20.0)
    finally:
        server.stop()


if __name__ == "__main__":
    main()
