"""Which recorded program is run again, and how its run ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded_project import NAME, change, write

from advisor.evidence.simulated.launches.store import LaunchStore
from advisor.evidence.simulated.launches.workloads import KeptOutputs
from advisor.runs.verification.recorded_programs import RecordedProgram, RecordedPrograms
from advisor.runs.verification.shadow_tree import ShadowTree


def launching(project: Path) -> RecordedProgram | str:
    return RecordedPrograms(project).launching("cube", ["k.py"])


def test_the_latest_run_that_can_be_repeated_is_chosen(project: Path) -> None:
    found = launching(project)
    assert isinstance(found, RecordedProgram)
    assert (found.path, found.files, found.name) == ("main.py", ("k.py", "main.py"), NAME)
    later = (
        "INSERT INTO runs SELECT 2, command, device, executed_on, started, ended, 'failed', inputs FROM runs"
    )
    change(project, later)
    change(project, "INSERT INTO programs SELECT 2, replace(program, '100000', '5') FROM programs")
    columns = "number, kernel, path, line, function_hash, launch_path, launch_line"
    change(project, f"INSERT INTO launches (run, {columns}) SELECT 2, {columns} FROM launches")
    assert launching(project) == found
    change(project, "UPDATE runs SET status = 'done'")
    assert launching(project).name == "advisor run main.py 5 'two words'"


REFUSED = [
    ("UPDATE runs SET executed_on = 'gpu'", "it was recorded on a real GPU"),
    ("UPDATE runs SET status = 'failed'", "it failed when it was recorded"),
    ("UPDATE runs SET status = 'interrupted'", "it was interrupted when it was recorded"),
    ("UPDATE runs SET status = 'running'", "it did not come to its end when it was recorded"),
    ("DELETE FROM programs", "its record does not say how it was called; record it again"),
    ("UPDATE programs SET program = replace(program, 'main.py', 'old.py')", "its file is gone"),
    (
        "UPDATE programs SET program = replace(program, 'main.py', '/bin/ls')",
        "it lies outside of the project",
    ),
    ("UPDATE programs SET program = replace(program, 'main.py', '../main.py')", "it lies outside of the"),
    (
        'UPDATE programs SET program = replace(program, \'"folder": "."\', \'"folder": "/tmp"\')',
        "it ran in a folder outside of the project",
    ),
]


@pytest.mark.parametrize(("statement", "said"), REFUSED, ids=[one[1] for one in REFUSED])
def test_runs_that_are_not_repeated(project: Path, statement: str, said: str) -> None:
    change(project, statement)
    found = launching(project)
    assert isinstance(found, str)
    assert found.startswith("`") and "advisor run " in found and f" is not run again: {said}" in found


def test_nothing_recorded(tmp_path: Path) -> None:
    assert launching(tmp_path) == ""
    assert not list(tmp_path.iterdir())


ENDS = [
    ("sys.exit()", ""),
    ("sys.exit(3)", "it ended with status 3"),
    ("sys.exit('no data')", "it ended with status no data"),
    ("raise KeyboardInterrupt", "KeyboardInterrupt: "),
    ("input('Go on? ')", "EOFError: EOF when reading a line (its standard input is empty here)"),
    ("os._exit(4)", "its process ended with status 4: no output"),
    (
        "import time; time.sleep(100)",
        "TimeoutError: it did not end within 3 s (workload-seconds sets how many)",
    ),
    (
        "open(os.environ['LOG'], 'w')",
        "PermissionError: [Errno 13] a run for a proof writes only into its copy of the project and a "
        "temporary folder: '{log}'",
    ),
]


@pytest.mark.parametrize(("line", "said"), ENDS, ids=[one[0] for one in ENDS])
def test_how_a_program_ends(project: Path, tmp_path: Path, monkeypatch, line: str, said: str) -> None:
    write(project, line + "\n")
    log = project / "log.txt"
    log.write_text("first")
    monkeypatch.setenv("LOG", str(log))
    (tmp_path / "outputs").mkdir()
    kept = KeptOutputs(tmp_path / "outputs", 0)
    with ShadowTree(project, {"main.py": (project / "main.py").read_text()}) as copy:
        found = launching(project).run(LaunchStore(copy), "a100-80gb", 3.0, None, kept)
    assert found == (f"`{NAME}` failed: {said.format(log=log)}" if said else "")
    assert log.read_text() == "first"
