"""What a release must hold that needs no network: versions in lock-step, the wheel's list of files."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from release.archives import difference, wanted
from release.pythons import pythons, said
from release.versions import disagreement, versions

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]


def _tracked() -> list[str]:
    if not (ROOT / ".git").exists():
        pytest.skip("this tree is no clone of git's")
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_program_extension_and_changelog_state_one_version() -> None:
    assert disagreement(ROOT) == ""
    assert len(versions(ROOT)) == 6


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("lsp_server/vscode/package.json", '"version": "0.1.0"', '"version": "0.2.0"'),
        ("advisor/__init__.py", '__version__ = "0.1.0"', '__version__ = "0.1.1"'),
        ("CHANGELOG.md", "## 0.1.0 ", "## "),
    ],
)
def test_a_file_that_states_another_version_is_named(tmp_path: Path, file: str, old: str, new: str) -> None:
    names = ("pyproject.toml", "advisor/__init__.py", "CHANGELOG.md")
    for name in (*names, "lsp_server/vscode/package.json", "lsp_server/vscode/package-lock.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    assert disagreement(tmp_path) == ""
    changed = (tmp_path / file).read_text("utf-8").replace(old, new, 1)
    (tmp_path / file).write_text(changed, "utf-8")
    told = disagreement(tmp_path)
    assert "pyproject.toml: 0.1.0" in told
    assert sum(f": {version}" in told for version in ("0.2.0", "0.1.1", "(unreleased)")) == 1


def test_the_wheel_is_to_hold_the_program_its_data_and_nothing_else() -> None:
    names = wanted(ROOT, _tracked())
    for name in (
        *("advisor/py.typed", "lsp_server/py.typed", "advisor/cli/pages/rule_skeleton.toml"),
        *("advisor/_knowledge/devices/a100-80gb.toml", "advisor/_grammar/rules.lark"),
    ):
        assert name in names
    assert any(name.startswith("advisor/cli/pages/templates/") for name in names)
    assert {name.split("/")[0] for name in names} == {"advisor", "lsp_server"}
    assert not any(re.search(r"/vscode/|/tests/|\.pyc$|node_modules", name) for name in names)


def test_what_a_wheel_lacks_or_has_besides_is_told(tmp_path: Path) -> None:
    wheel = tmp_path / "kernel_advisor-1.0-py3-none-any.whl"
    about = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in ("advisor/a.py", *(f"kernel_advisor-1.0.dist-info/{one}" for one in about)):
            archive.writestr(name, "")
    assert difference(wheel, {"advisor/a.py"}) == ""
    assert difference(wheel, {"advisor/a.py", "advisor/b.py"}) == "lacks advisor/b.py (1)"
    assert difference(wheel, set()) == "has besides advisor/a.py (1)"


def test_only_the_extra_brings_compilers_and_the_developers_have_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    compilers = re.compile(r"numba|llvmlite|nvidia|cuda|triton|cupy")
    assert [one for one in project["dependencies"] if compilers.match(one)] == []
    extras = project["optional-dependencies"]
    brought = {re.split(r"[\[<>;]", one)[0] for one in extras["gpu"]}
    assert brought == {"numba", "numpy", "numba-cuda", "nvidia-cuda-nvdisasm", "nvidia-ml-py"}
    for extra in ("dev", "cupy", "triton"):
        assert "kernel-advisor[gpu]" in extras[extra]


def test_interpreters_are_found_on_the_path_and_with_pyenv_and_asked_for_their_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place, answers in {
        "bin/python3.10": "3.10",
        "bin/python3.12": "",  # a shim of a version that is switched off
        "pyenv/versions/3.12.1/bin/python": "3.12",
        "pyenv/versions/3.9.9/bin/python": "3.9",
    }.items():
        file = tmp_path / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\necho {answers}\n" if answers else "#!/bin/sh\nexit 127\n")
        file.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    assert pythons() == {
        "3.10": str(tmp_path / "bin/python3.10"),
        "3.12": str(tmp_path / "pyenv/versions/3.12.1/bin/python"),
    }


def test_what_pythons_say_is_compared_by_place_rule_and_severity_but_not_by_last_digits() -> None:
    finding = {"path": "a.py", "line": 3, "rule": "slow-power", "severity": "warning"}
    error = {"path": "b.py", "line": 1, "message": "The kernel `k` was not compiled: no"}
    one = {"findings": [{**finding, "gain": [1.0000000000000002]}], "errors": [error], "notices": ["n"]}
    other = {"findings": [{**finding, "gain": [1.0]}], "errors": [error], "notices": ["n"]}
    assert said(one) == said(other)
    assert said(one) != said({**other, "errors": []})
    assert said(one) != said({**other, "notices": []})
    assert said(one) != said({**other, "findings": [{**finding, "severity": "info"}]})
