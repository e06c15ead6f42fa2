"""What is forked from a process with Numba behaves as if it had been started by itself."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from advisor.evidence.simulated.launches.processes.warm_processes import Start, run_process

PROBE = """
import json, os, sys
def main():
    answer = {
        "arguments": sys.argv[1:], "folder": os.getcwd(), "first": sys.path[0], "input": sys.stdin.read(),
        "flag": os.environ.get("PROBE_FLAG"), "hash": os.environ.get("PYTHONHASHSEED"),
        "text": hash("text"), "parent": os.getppid(), "session": os.getsid(0) == os.getpid(),
        "earlier": getattr(sys, "probe_was_here", False),
    }
    sys.probe_was_here = True
    print("this goes nowhere")
    print("a word", file=sys.stderr)
    with open(sys.argv[1], "w") as file:
        json.dump(answer, file)
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "given").write_text("asked", encoding="utf-8")
    return tmp_path


def start(place: Path, text: str, *arguments: str, new_session: bool = False, **environment: str) -> Start:
    (place / "probe.py").write_text(text, encoding="utf-8")
    return Start(
        "probe",
        place / "given",
        place / "errors",
        {**os.environ, **environment},
        arguments or (str(place / "answer"),),
        new_session,
    )


def answer(place: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((place / "answer").read_text(encoding="utf-8"))
    return found


def test_it_gets_arguments_input_folder_and_environment(place):
    assert run_process(start(place, PROBE, PROBE_FLAG="up"), 60) == 0
    told = answer(place)
    assert told["arguments"] == [str(place / "answer")]
    assert (told["folder"], told["first"], told["input"]) == (str(place), str(place), "asked")
    assert (told["flag"], told["session"]) == ("up", False)
    assert (place / "errors").read_text(encoding="utf-8") == "a word\n"


def test_the_second_sees_nothing_of_the_first(place):
    for _ in range(2):
        assert run_process(start(place, PROBE), 60) == 0
        assert answer(place)["earlier"] is False


def test_both_come_from_one_process(place):
    parents = set()
    for _ in range(2):
        run_process(start(place, PROBE), 60)
        parents.add(answer(place)["parent"])
    assert len(parents) == 1
    assert os.getpid() not in parents


def test_what_python_reads_at_its_start_counts(place):
    texts = []
    for seed in ("1", "2", "1"):
        run_process(start(place, PROBE, PYTHONHASHSEED=seed), 60)
        told = answer(place)
        assert told["hash"] == seed
        texts.append(told["text"])
    assert texts[0] == texts[2] != texts[1]


def test_a_changed_environment_reaches_the_next(place):
    for flag in ("first", "second"):
        run_process(start(place, PROBE, PROBE_FLAG=flag), 60)
        assert answer(place)["flag"] == flag


@pytest.mark.parametrize(
    ("ending", "status"),
    [("import sys; sys.exit(3)", 3), ("raise ValueError('wrong')", 1), ("import os; os.abort()", -6)],
)
def test_the_way_it_ends_is_told(place, ending, status):
    assert run_process(start(place, f"def main():\n    {ending}\n"), 60) == status
    # The process it came from lives on.
    assert run_process(start(place, PROBE), 60) == 0


def test_an_error_is_on_the_error_output(place):
    run_process(start(place, "def main():\n    raise ValueError('wrong')\n"), 60)
    assert (place / "errors").read_text(encoding="utf-8").endswith("ValueError: wrong\n")


def test_what_was_registered_for_the_end_runs(place):
    text = "import atexit\ndef main():\n    atexit.register(lambda: open('gone', 'w').close())\n"
    assert run_process(start(place, text), 60) == 0
    assert (place / "gone").exists()


def test_one_that_takes_too_long_is_killed(place):
    before = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        run_process(start(place, "import time\ndef main():\n    time.sleep(600)\n"), 1.0)
    assert time.monotonic() - before < 300
    assert run_process(start(place, PROBE), 60) == 0


def test_a_session_ends_with_all_that_it_started(place):
    text = (
        "import subprocess, sys\n"
        "def main():\n"
        "    child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "    open('child', 'w').write(str(child.pid))\n"
    )
    assert run_process(start(place, text, new_session=True), 60) == 0
    child = int((place / "child").read_text(encoding="utf-8"))
    until = time.monotonic() + 30
    while time.monotonic() < until and _runs(child):
        time.sleep(0.05)
    assert not _runs(child)


def _runs(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_of_too_many_the_one_in_the_oldest_environment_ends(place):
    parents = []
    # More environments than processes that may wait, each used twice in turn.
    for number in range(6):
        for _ in range(2):
            run_process(start(place, PROBE, PYTHONHASHSEED=str(number)), 60)
            parents.append(answer(place)["parent"])
    assert all(first == second for first, second in zip(parents[::2], parents[1::2], strict=True))
    assert len(set(parents)) == 6
