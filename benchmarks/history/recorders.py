"""Recorders of one history are killed, and the server that they record on: nothing said to be kept is lost.

    python benchmarks/history/recorders.py [--recorders 50] [--seconds 20]

Each recorder is a process that adds fingerprints one by one and prints the number of each when it is kept. A
third of the recorders are killed (SIGKILL) after a third of the time, the server after two thirds; it is
started again, and the others, whose transaction was cut off, begin another run. Then every number that was
printed must be in the history.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_HERE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(_HERE), str(_HERE / "tests" / "processes")]

from postgresql_server import PostgresqlServer  # noqa: E402

from advisor.model.history.store import HistoryStore  # noqa: E402

_RECORDER = """\
import sys, time
sys.path[:0] = {paths!r}
import random
from commands import full_fingerprint
from advisor.model.errors import AdvisorError
from advisor.model.history.identity import Definition
from advisor.model.history.fingerprint import RunFacts
from advisor.model.history.store import HistoryStore
from pathlib import Path

store, chance, number = HistoryStore(Path(), {address!r}), random.Random({seed}), 0
one = full_fingerprint(3, "k.py", Definition("kernel_3", 5, "f00d"), chance)
stop = Path({stop!r})
while not stop.exists():
    try:
        run = store.begin(RunFacts("profile", "", "", time.time(), "l4", "NVIDIA L4"))
        while not stop.exists():
            store.add(run, one)
            number += 1
            print(run, flush=True)
        store.end(run)
    except AdvisorError as error:
        print(error, file=sys.stderr, flush=True)
        time.sleep(0.5)
"""


def said_and_kept(server: PostgresqlServer, address: str, recorders: int, seconds: float) -> None:
    """Kill recorders and server while they record, and print what was said and what was kept."""
    paths = [str(_HERE), str(Path(__file__).parent)]
    with tempfile.TemporaryDirectory() as folder:
        outputs = [(Path(folder) / f"{at}.out", Path(folder) / f"{at}.err") for at in range(recorders)]
        processes, stop = [], Path(folder) / "stop"
        for at, (out, err) in enumerate(outputs):
            code = _RECORDER.format(paths=paths, address=address, seed=at, stop=str(stop))
            with out.open("wb") as to, err.open("wb") as words:
                processes.append(subprocess.Popen([sys.executable, "-c", code], stdout=to, stderr=words))
        while not all(out.stat().st_size for out, _ in outputs):  # all have begun
            time.sleep(0.1)
        time.sleep(seconds / 3)
        for process in processes[::3]:
            process.kill()
        time.sleep(seconds / 3)
        begun = time.perf_counter()
        server.kill()
        server.start()
        away = time.perf_counter() - begun
        time.sleep(seconds / 3)
        stop.touch()
        for process in processes:
            process.wait()
        said: dict[int, int] = {}
        for out, _ in outputs:
            for line in out.read_text().splitlines(keepends=True):
                if line.endswith("\n"):  # the last line of one that was killed may be torn
                    said[int(line)] = said.get(int(line), 0) + 1
        cut_off = sum("was lost" in err.read_text() for _, err in outputs)
    store = HistoryStore(Path(), address)
    kept = {run: len(store.run(run).fingerprints) for run in said}
    store.close()
    lost = sum(max(0, number - kept[run]) for run, number in said.items())
    more = sum(max(0, kept[run] - number) for run, number in said.items())
    total = sum(said.values())
    print(f"{recorders} recorders, {len(processes[::3])} killed; the server killed, back after {away:.1f} s.")
    print(f"{total:,} fingerprints said to be kept, {lost} lost,")
    print(f"{more} kept and not said; {cut_off} recorders were told that a transaction was cut off.")
    if lost:
        raise SystemExit("fingerprints are lost")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--recorders", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20.0)
    args = parser.parse_args()
    server = PostgresqlServer({"fsync": "on"})
    try:
        address = server.database("history")
        store = HistoryStore(Path(), address)
        store.database.prepare()
        store.close()
        said_and_kept(server, address, args.recorders, args.seconds)
    finally:
        server.stop()


if __name__ == "__main__":
    main()
