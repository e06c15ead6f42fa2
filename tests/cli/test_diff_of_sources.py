"""`advisor diff --base` and `advisor verify --base`: the sources here beside those of a commit."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_ROWS = """\
import numpy as np
from numba import cuda


@cuda.jit
def copy(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        for k in range(x.shape[1]):
            out[i, k] = x[i, k]


def workload():
    x = cuda.to_device(np.ones((1 << 13, 32), dtype=np.float32))
    out = cuda.device_array_like(x)
    copy[32, 256](x, out)
    return out.copy_to_host()
"""
# The same result by neighbouring elements.
_COLUMNS = (
    _ROWS.replace("        for k in range(x.shape[1]):\n    ", "")
    .replace("i = cuda.grid(1)", "k, i = cuda.grid(2)")
    .replace("i < x.shape[0]", "i < x.shape[0] and k < x.shape[1]")
    .replace("copy[32, 256]", "copy[(1, 1024), (32, 8)]")
)
_FAULT = "\n\n@cuda.jit\ndef waits(out):\n    cuda.syncthreads\n    out[cuda.grid(1)] = 1\n"


def _git(folder: Path, *arguments: str) -> None:
    name = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose branch `main` has one slow kernel, on a branch of its own."""
    (tmp_path / "rows.py").write_text(_ROWS)
    (tmp_path / "advisor.toml").write_text("synthesis = false\n")
    (tmp_path / ".gitignore").write_text(".advisor\n")
    _git(tmp_path, "init", "-q", "-b", "main")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "-qm", "one")
    _git(tmp_path, "checkout", "-qb", "work")
    monkeypatch.chdir(tmp_path)
    return tmp_path


Advisor = Callable[..., Any]


def _difference(advisor: Advisor, *argv: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(advisor("diff", *argv, "--format", "json").out)
    return found


def test_what_is_new_and_gone_since_a_commit(repository: Path, advisor: Advisor) -> None:
    source = ("--base", "main", "--evidence", "source")
    unchanged = _difference(advisor, *source)
    assert not unchanged["new"] and not unchanged["gone"] and not unchanged["times"]
    (repository / "rows.py").write_text(_ROWS + _FAULT)
    changed = _difference(advisor, *source)
    new = {(one["rule"], one["path"], one["line"]) for one in changed["new"]}
    assert ("function-not-called", "rows.py", 22) in new and not changed["gone"]
    _git(repository, "commit", "-qam", "two")
    assert {one["rule"] for one in _difference(advisor, *source)["new"]} == {rule for rule, _, _ in new}
    # What has come to main since is no change of this branch.
    _git(repository, "checkout", "-q", "main")
    (repository / "other.py").write_text(_ROWS + _FAULT)
    _git(repository, "add", ".")
    _git(repository, "commit", "-qm", "three")
    _git(repository, "checkout", "-q", "work")
    assert not _difference(advisor, *source)["gone"]
    assert advisor("diff", "--base", "HEAD", "--evidence", "source").out.splitlines()[2] == (
        f"0 new findings, 0 gone, {changed['kept'] + len(new)} stay; 0 kernels predicted to be slower, "
        "0 to be faster, for NVIDIA A100 80GB."
    )


def test_files_that_came_and_went(repository: Path, advisor: Advisor) -> None:
    (repository / "rows.py").rename(repository / "moved.py")
    found = _difference(advisor, "--base", "main", "--evidence", "source", "rows.py", "moved.py")
    assert {one["path"] for one in found["new"]} <= {"moved.py"}
    assert {one["path"] for one in found["gone"]} <= {"rows.py"}
    assert len(found["new"]) == len(found["gone"])


def test_nothing_is_gone_from_a_file_that_cannot_be_read(repository: Path, advisor: Advisor) -> None:
    (repository / "rows.py").write_text(_ROWS + _FAULT)
    _git(repository, "commit", "-qam", "two")
    (repository / "rows.py").write_text("@cuda.jit\ndef broken(:\n" + _ROWS)
    outcome = advisor("diff", "--base", "HEAD", "--evidence", "source", "--format", "json")
    found = json.loads(outcome.out)
    assert outcome.status == 2 and not found["gone"] and found["errors"]


@pytest.mark.parametrize(("first", "then", "verdict"), [
    (_ROWS, _COLUMNS, "predicted faster"),
    (_COLUMNS, _ROWS, "predicted slower"),
    (_ROWS, _ROWS.replace("grid(1)", "grid(1) + 0"), "no difference"),
])  # fmt: skip
def test_times_of_workloads_before_and_after(
    repository: Path, advisor: Advisor, first: str, then: str, verdict: str
) -> None:
    (repository / "rows.py").write_text(first)
    _git(repository, "commit", "-qa", "--allow-empty", "-m", "two")
    (repository / "rows.py").write_text(then)
    outcome = advisor("diff", "--base", "HEAD", "--fail-on-regression", "--format", "json", "rows.py")
    (time,) = json.loads(outcome.out)["times"]
    assert (time["kernel"], time["time_of"], time["verdict"]) == ("copy", "launches", verdict)
    assert time["speedup"] == pytest.approx(time["before_ms"] / time["after_ms"])
    assert outcome.status == (1 if verdict == "predicted slower" else 0)
    if verdict == "no difference":
        return
    proof = advisor("verify", "--base", "HEAD", "--format", "json", "rows.py")
    (file,) = json.loads(proof.out)["files"]
    assert (file["verdict"], file["outputs"], file["workloads"]) == (verdict, "equal", ["workload"])
    assert proof.status == outcome.status


def test_a_comment_on_a_pull_request(repository: Path, advisor: Advisor) -> None:
    (repository / "rows.py").write_text(_COLUMNS.replace("x[i, k]\n", "x[i, k] # |\n") + _FAULT)
    text = advisor("diff", "--base", "main", "--no-run", "--format", "markdown").out
    assert text.startswith("## Kernel Advisor: changes since main (")
    assert "\n## New: " in text
    assert "\n- `rows.py:" in text and "`function-not-called`" in text


def test_paths_of_every_kind_have_their_earlier_selves(
    repository: Path, advisor: Advisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "rows.py").write_text(_ROWS + _FAULT)
    (repository / "below").mkdir()
    source = ("--base", "main", "--evidence", "source")
    expected = {one["rule"] for one in _difference(advisor, *source, "rows.py")["new"]}
    assert "function-not-called" in expected
    assert {one["rule"] for one in _difference(advisor, *source, str(repository))["new"]} == expected
    monkeypatch.chdir(repository / "below")
    found = _difference(advisor, *source, "../rows.py")
    assert {one["rule"] for one in found["new"]} == expected
    assert {one["path"] for one in found["new"]} == {"rows.py"} and found["kept"]
    (repository.parent / "outside.py").write_text(_ROWS)
    outcome = advisor("diff", *source, "../../outside.py")
    assert outcome.status == 2 and "lies outside of what is compared with main" in outcome.err


def test_a_folder_stands_for_the_commit(repository: Path, advisor: Advisor, tmp_path_factory: Any) -> None:
    earlier = tmp_path_factory.mktemp("earlier")
    (earlier / "rows.py").write_text(_ROWS + _FAULT)
    found = _difference(advisor, "--base-folder", str(earlier), "--evidence", "source")
    assert "function-not-called" in {one["rule"] for one in found["gone"]} and not found["new"]
    assert found["base"] == str(earlier)


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (("diff",), "two runs to compare are needed"),
        (("diff", "a"), "two runs to compare are needed"),
        (("diff", "--base", "nope"), "git knows no revision `nope`"),
        (("diff", "--base", "--output=x"), "expected one argument"),
        (("diff", "--base", "main", "--base-folder", "."), "give one of them"),
        (("diff", "--base-folder", "nowhere"), "no such folder"),
        (("diff", "--base", "main", "nowhere.py"), "no such file or folder, here or in the base"),
        (("verify", "--base", "nope", "rows.py"), "git knows no revision `nope`"),
        (("verify", "--base", "main", "empty.py"), "has no workload now and before"),
    ],
)
def test_what_cannot_be_compared_is_told(advisor: Advisor, argv: tuple[str, ...], told: str) -> None:
    Path("empty.py").write_text("SIZE = 1\n")
    outcome = advisor(*argv)
    assert outcome.status == 2 and told in outcome.err and outcome.err.count("\n") == 1


def test_outside_of_repositories(tmp_path: Path, advisor: Advisor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = advisor("diff", "--base", "main")
    assert outcome.status == 2 and "lies in no git repository" in outcome.err
