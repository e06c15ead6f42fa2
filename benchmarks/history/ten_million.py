"""How long questions to a history of ten million fingerprints take on a server of PostgreSQL.

    python benchmarks/history/ten_million.py [--runs 200000] [--times 9]

Starts a server of its own (the programs of Debian's package `postgresql`), fills a history with 50 kernels in each
run, on four devices in turn, records two full runs by the program itself, asks what `diff`, `budget`, `report` and
`check` ask, and removes everything. With 200,000 runs it takes some minutes and 7 GB of disk. The rows are
leaner than a profile's, 0.5 KB in place of 4, but for the two last runs.
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

from advisor.model.history.fingerprint import Fingerprint, Run, RunFacts  # noqa: E402
from advisor.model.history.identity import Definition  # noqa: E402
from advisor.model.history.store import HistoryStore  # noqa: E402
from advisor.runs.comparison.ranking.scaling import kept_scaling  # noqa: E402

_KERNELS = 50
_PER_FILE = 5
_DEVICES = ("a100-80gb", "h100-sxm", "l4", "rtx-4090")
_TIMES = 1000
_SETTINGS = {
    "shared_buffers": "512MB", "maintenance_work_mem": "512MB", "wal_level": "minimal", "max_wal_senders": "0",
    "max_wal_size": "1GB", "fsync": "on", "checkpoint_timeout": "30min", "autovacuum": "off",
}  # fmt: skip

_RUNS = """
INSERT INTO runs (kind, label, command, started, ended, device, executed_on, toolchain, commit_id, dirty, status,
    metrics, notes, host, process)
SELECT CASE WHEN n % 10 = 0 THEN 'import' ELSE 'profile' END, 'build ' || n, 'advisor profile .', 1.6e9 + 600.0 * n,
    1.6e9 + 600.0 * n + 60.0, (ARRAY[{devices}])[1 + n % 4], 'NVIDIA', '{{}}', md5(n::text) || '00000000', 0, 'done',
    '{{}}', '[]', '{{}}', 'elsewhere 1'
FROM generate_series(1, {runs}) n
"""
_KERNEL_ROWS = """
INSERT INTO kernels (path, name, source, device)
SELECT 'kernels_' || k / {per_file} * {per_file} || '.py', 'kernel_' || k, 'measured', device
FROM generate_series(0, {kernels} - 1) k, unnest(ARRAY[{devices}]) device
"""
# A kernel's text changes every 4,000 runs; it is launched with five sizes in turn.
_FINGERPRINTS = """
INSERT INTO fingerprints (run, kernel, line, source_hash, types, grid, block, dynamic_shared, launches, mean_ms,
    timing, metrics, lines, ranges)
SELECT r.id, k.id, 5, md5((r.id / 4000)::text), '["array(float32, 2d, C)"]', (32 << (r.id / 4 % 5)::int) || ' 1 1',
    '256 1 1', 0, 1, t.ms,
    '[5,' || t.ms || ',' || t.ms || ',0.02,' || t.ms * 0.9 || ',' || t.ms * 1.1 || ',[' || t.ms || ',' || t.ms * 0.9 || ','
        || t.ms * 1.1 || ',' || t.ms || ',' || t.ms || ']]',
    '{{"flops":' || t.ms * 1e9 || ',"dram_bytes":' || t.ms * 1e8 || ',"registers":40,"achieved_occupancy":0.61,'
        || '"theoretical_occupancy":0.75,"l2_hit_rate":0.44,"latency_ms":' || t.ms || ',"time_cv":0.02}}',
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

    HistoryStore(Path(), address).database.prepare()
    parts = {
        "devices": ", ".join(f"'{one}'" for one in _DEVICES), "runs": runs, "kernels": _KERNELS, "per_file": _PER_FILE,
    }  # fmt: skip
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


def full_runs(store: HistoryStore) -> list[Fingerprint]:
    """Record two runs as a profile does; the fingerprints of the last."""
    chance = random.Random(1)
    those: list[Fingerprint] = []
    for number in (1, 2):
        those = [
            full_fingerprint(
                at, f"kernels_{at // _PER_FILE * _PER_FILE}.py", Definition(f"kernel_{at}", 5, f"{1:032x}"), chance
            )
            for at in range(_KERNELS)
        ]  # fmt: skip
        facts = RunFacts("profile", f"full {number}", "advisor profile .", time.time(), _DEVICES[0], "NVIDIA")
        store.add_run(Run(facts, {"total_latency_ms": 100.0}, tuple(those)))
    return those


def questions(store: HistoryStore, runs: int, last: Fingerprint) -> dict[str, Callable[[], object]]:
    old = next(iter(store.run(runs - 1).fingerprints))
    device = store.facts_of(runs - 1).facts.device
    name, path = old.identity.name, old.identity.path
    return {
        "`diff`: two full runs by `latest~1` and `latest`": lambda: [
            store.run(store.find(one)) for one in ("latest~1", "latest")
        ],
        "`diff`: two runs by label and by commit": lambda: [
            store.run(store.find(one)) for one in ("build 77", store.facts_of(runs // 2).facts.commit or "")
        ],
        "`budget`, `report`: the latest of every kernel on every device": store.latest,
        "scaling of a kernel over five sizes": lambda: kept_scaling(store, old, device),
        f"trend of a kernel: its latest {_TIMES} times": lambda: store.times(name, path, _TIMES),
        "`check`: what was measured of the five kernels of a file": lambda: store.kernel_runs(path or ""),
        "the 20 latest runs": lambda: store.runs(most=20),
    }


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
        ((rows, size),) = server.run_sql(
            "SELECT (SELECT count(*) FROM fingerprints), pg_database_size('history')", "history"
        )
        print(
            f"{rows:,} fingerprints, {float(str(size)) / 1e9:.1f} GB, in {time.perf_counter() - begun:.0f} s"
        )
        begun = time.perf_counter()
        last = full_runs(HistoryStore(Path(), address))[0]
        print(f"recording two full runs: {(time.perf_counter() - begun) / 2 * 1e3:.0f} ms each")
        server.stop_process()
        server.start()
        ask(address, args.runs, last, args.times)
    finally:
        server.stop()


def ask(address: str, runs: int, last: Fingerprint, times: int) -> None:
    """Print what each question takes: the first time on a connection, then the median and the most."""
    store = HistoryStore(Path(), address)
    begun = time.perf_counter()
    store.exists()
    print(f"driver, connection, version of the tables: {(time.perf_counter() - begun) * 1e3:.0f} ms")
    print("| question | first | median | most |\n|---|---|---|---|")
    for name, question in questions(store, runs, last).items():
        taken = []
        for _ in range(times):
            begun = time.perf_counter()
            question()
            taken.append((time.perf_counter() - begun) * 1e3)
        rest = taken[1:] or taken
        print(
            f"| {name} | {taken[0]:.1f} ms | {statistics.median(rest):.1f} ms | {max(rest):.1f} ms |",
            flush=True,
        )
    number = store.begin(
        RunFacts("profile", "one by one", "advisor profile .", time.time(), _DEVICES[0], "NVIDIA")
    )
    taken = []
    for _ in range(100):
        begun = time.perf_counter()
        store.add(number, last)
        taken.append((time.perf_counter() - begun) * 1e3)
    print(
        f"| recording one fingerprint | {taken[0]:.1f} ms | {statistics.median(taken):.1f} ms | {max(taken):.1f} ms |"
    )
    store.end(number)
    store.close()


if __name__ == "__main__":
    main()
