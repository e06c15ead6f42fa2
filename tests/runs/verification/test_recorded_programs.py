"""Fixes proven by running again, in a copy, a program that `advisor run` recorded."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from recorded_project import (
    HEAD,
    KERNEL,
    LAUNCH,
    NAME,
    PROGRAM,
    change,
    files,
    options,
    replacing,
    run_advisor,
    write,
)

from advisor.runs.verification.improvement import improve


def test_a_fix_is_proven_by_the_program_with_its_arguments(project: Path) -> None:
    write(project, "assert sys.argv[2:] == ['two words'] and __name__ == '__main__'\n" + LAUNCH)
    done = run_advisor(project, "verify", "--simulate", "--select", "slow-power", "k.py")
    assert done.returncode == 0, done.stderr
    assert "k.py: cube\n  predicted faster (" in done.stdout
    assert "1 output equal within rounding" in done.stdout
    assert f"Ran `{NAME}` again, 2 times, in copies of the project." in done.stdout


def test_no_programs_leaves_the_program(project: Path) -> None:
    write(project, "Path(__file__).with_name('ran').touch()\n")
    before = files(project)
    done = run_advisor(
        project, "verify", "--simulate", "--no-programs", "--select", "slow-power", "--format", "json", "k.py"
    )
    told = json.loads(done.stdout)
    (fix,) = told["fixes"]
    assert fix["verdict"] == "cannot tell"
    workload = "there is no workload: a function `workload()` beside the kernel, which launches it"
    assert fix["detail"] == f"{workload}; `{NAME}` is not run again: --no-programs leaves it"
    assert told["programs_run"] == {}
    assert files(project) == before


def test_a_workload_that_launches_the_kernel_comes_first(project: Path, verified) -> None:
    workload = "\n\ndef workload():\n    a = cuda.device_array(256)\n    cube[1, 256](a, a)\n"
    (project / "k.py").write_text(KERNEL + workload)
    found = verified(project)
    assert found.verified[0].place == ("k.py", ("k.py", "cube"))
    assert not found.runs.programs_run


CHANGES = [
    ("a[i] ** 3.0", "a[i] ** 2.0", "", "results differ", "`out` of cube: 99,999 of 100,000 elements differ"),
    ("a[i] ** 3.0", "a[i + 1] * a[i]", "", "results differ", "out of bounds"),
    (
        "a[i] ** 3.0",
        "a[i] * a[i]",
        "assert launch(9)[-1] == 8",
        "results differ",
        "it fails after the change",
    ),
]


@pytest.mark.parametrize(("old", "new", "last", "verdict", "said"), CHANGES)
def test_changes_that_give_other_results(
    project: Path, monkeypatch, old: str, new: str, last: str, verdict: str, said: str, verified
) -> None:
    write(project, LAUNCH + last + "\n")
    replacing(monkeypatch, old, new)
    (one,) = verified(project).verified
    assert one.judgement.verdict == verdict
    assert said in one.judgement.detail


def test_a_program_that_fails_the_second_time(project: Path, verified) -> None:
    (project / "done").touch()
    write(project, LAUNCH + "Path('done').touch(exist_ok=False)\n")
    found = verified(project)
    (one,) = found.verified
    assert one.judgement.verdict == "cannot tell"
    begin = f"it does not run before the change: `{NAME}` failed: FileExistsError"
    assert one.judgement.detail.startswith(begin)
    assert found.runs.programs_run == {NAME: 1}


def test_a_program_whose_results_are_never_the_same_tells_nothing(
    project: Path, monkeypatch, verified
) -> None:
    write(project, "launch(100, np.random.default_rng().random(100, np.float32))\n")
    replacing(monkeypatch, "a[i] ** 3.0", "a[i] * a[i] * a[i]")
    (one,) = verified(project).verified
    assert one.judgement.verdict == "cannot tell"
    assert one.judgement.detail == "its outputs differ from run to run without a change, too"


def test_a_program_that_launches_the_kernel_no_more(project: Path, verified) -> None:
    write(project, "print('nothing to do')\n")
    (one,) = verified(project).verified
    assert one.judgement.verdict == "cannot tell"
    assert one.judgement.detail == f"`{NAME}` ran again and did not launch cube"


def test_launches_of_other_processes_are_not_compared(project: Path, verified) -> None:
    body = LAUNCH + (
        "if len(sys.argv) == 3:\n"
        "    subprocess.run([sys.executable, __file__, '7'], check=True)\n"
    )  # fmt: skip
    write(project, body)
    (one,) = verified(project).verified
    assert one.judgement.verdict == "cannot tell"
    assert one.judgement.detail == "not all outputs could be kept and compared"


def test_a_kernel_that_changed_since_the_record_is_proven_as_it_is_now(project: Path, verified) -> None:
    (project / "k.py").write_text(KERNEL.replace("out[i] = a", "out[i] = 1.0 + a"))
    (one,) = verified(project).verified
    assert one.judgement.verdict == "predicted faster"


WRITES = """
    Path("new.txt").write_text("new")
    with open("log.txt", "a") as log:
        log.write("second\\n")
    assert Path("log.txt").read_text() == "first\\nsecond\\n"
    Path(__file__).with_name("over.txt").write_text("over")
    Path("results/deep/table.txt").write_text("table")
    os.replace("results/moved.txt", "moved.txt")
    os.remove("results/gone.txt")
    os.chdir("results")
    np.save("array.npy", np.arange(3))
    launch(100)
"""


def test_what_the_program_writes_stays_in_the_copy(project: Path, verified) -> None:
    write(project, WRITES)
    (project / "results" / "deep").mkdir(parents=True)
    for name in ("log.txt", "over.txt", "results/deep/table.txt", "results/moved.txt", "results/gone.txt"):
        (project / name).write_text("first\n")
    before = files(project)
    (one,) = verified(project).verified
    assert one.judgement.verdict == "predicted faster", one.judgement
    assert files(project) == before


def test_modules_that_the_path_finds_in_the_project_are_those_of_the_copy(
    project: Path, monkeypatch, verified
) -> None:
    (project / "scripts").mkdir()
    write(project, LAUNCH, "scripts/main.py")
    change(project, "UPDATE programs SET program = replace(program, 'main.py', 'scripts/main.py')")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(project), str(PROGRAM)]))
    (one,) = verified(project).verified
    assert one.judgement.verdict == "predicted faster", one.judgement


def test_a_module_in_a_folder_below_the_root(project: Path, verified) -> None:
    shutil.rmtree(project / ".advisor")
    (project / "src" / "tool").mkdir(parents=True)
    (project / "src" / "tool" / "__init__.py").write_text("")
    (project / "k.py").rename(project / "src" / "k.py")
    write(project, "launch(1000)\n", "src/tool/__main__.py")
    done = run_advisor(project / "src", "run", "--simulate", "-m", "tool", "--fast")
    assert done.returncode == 0, done.stderr
    found = verified(project, "src/k.py")
    assert found.verified[0].judgement.verdict == "predicted faster", found.verified[0].judgement
    assert list(found.runs.programs_run) == ["cd src && advisor run -m tool --fast"]


def test_what_is_proven_by_a_program_is_written(project: Path) -> None:
    done = run_advisor(project, "verify", "--simulate", "--write", "--select", "slow-power", "k.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("main.py\n")
    assert f"Ran `{NAME}` again, " in done.stdout
    assert "Wrote 1 fix predicted to help" in done.stdout
    assert (project / "k.py").read_text() == KERNEL.replace("a[i] ** 3.0", "a[i] * a[i] * a[i]")


def test_fixes_of_one_file_that_different_runs_prove_are_written_in_turns(project: Path, cache: Path) -> None:
    other = KERNEL[KERNEL.index("@cuda") :].replace("cube", "fourth").replace("3.0", "4.0")
    workload = (
        "\n\ndef workload():\n    import numpy as np\n"
        "    fourth[400, 256](np.ones(100_000, np.float32), np.ones(100_000, np.float32))\n"
    )
    (project / "k.py").write_text(KERNEL + "\n\n" + other + workload)
    written = []

    def note(seen, pairs):
        written.append(sorted(finding.kernel_concerned() for finding, _ in pairs))
        return ["stop"]

    improve([project / "k.py"], options(project, cache), note)
    assert len(written) == 1 and len(written[0]) == 1


def test_a_program_of_another_project_is_not_run(project: Path, tmp_path: Path, verified) -> None:
    shutil.rmtree(project / ".advisor")
    (tmp_path / "other").mkdir()
    body = HEAD.replace("from k", f"sys.path.append({str(project)!r})\nfrom k")
    (tmp_path / "other" / "main.py").write_text(body + "launch(100)\n")
    done = run_advisor(project, "run", "--simulate", "../other/main.py")
    assert done.returncode == 0, done.stderr
    found = verified(project)
    (one,) = found.verified
    assert one.judgement.verdict == "cannot tell"
    assert one.judgement.detail.endswith(
        "`advisor run ../other/main.py` is not run again: it lies outside of the project"
    )
    assert not found.runs.programs_run
