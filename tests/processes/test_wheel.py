"""What the wheel holds, and that the program runs from it where there is no checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest
from advisor_command import PROGRAM

import advisor

KERNEL = """\
from numba import cuda


@cuda.jit("void(float32[::1])")
def kernel(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i] ** 0.5
"""


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        (record,) = [name for name in archive.namelist() if name.endswith(".dist-info/RECORD")]
        recorded = {row.rsplit(",", 2)[0].strip('"') for row in archive.read(record).decode().splitlines()}
        assert recorded == set(archive.namelist())
    return recorded


def below(folder: Path, package: str) -> set[str]:
    return {
        f"{package}/{file.relative_to(folder).as_posix()}"
        for file in folder.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }


def test_it_holds_the_program_its_grammar_and_its_knowledge(wheel: Path) -> None:
    names = names_in(wheel)
    assert below(PROGRAM / "grammar", "advisor/_grammar") <= names
    assert below(PROGRAM / "knowledge", "advisor/_knowledge") <= names
    assert {
        name for name in below(PROGRAM / "advisor", "advisor") if name.endswith((".py", ".typed"))
    } <= names
    assert any(name.endswith(".rules") for name in names)
    assert any(name.startswith("advisor/_knowledge/devices/") for name in names)


def test_it_installs_no_other_top_level_packages(wheel: Path) -> None:
    top = {name.split("/")[0] for name in names_in(wheel)}
    assert {name for name in top if not name.endswith(".dist-info")} == {"advisor", "lsp_server"}
    assert not any("__pycache__" in name or name.endswith(".pyc") for name in names_in(wheel))


def test_its_metadata(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (file,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = HeaderParser().parsestr(archive.read(file).decode())
    assert (metadata["Name"], metadata["Version"]) == ("kernel-advisor", advisor.__version__)
    assert metadata["Requires-Python"] == ">=3.10"
    # What NVIDIA publishes for Linux and Windows only must not keep others from installing the program.
    for requirement in metadata.get_all("Requires-Dist", []):
        if requirement.startswith(("numba-cuda", "nvidia-")):
            assert "sys_platform == 'linux' or sys_platform == 'win32'" in requirement.replace('"', "'")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty working folder, so that nothing of the checkout can be meant."""
    return tmp_path_factory.mktemp("elsewhere")


def run(environment: Path, folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    binaries = environment / ("Scripts" if sys.platform == "win32" else "bin")
    program, *arguments = command
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    home = {"HOME": str(environment), "XDG_CACHE_HOME": str(environment / "cache")}
    return subprocess.run(
        [str(binaries / program), *arguments],
        cwd=folder,
        env=kept | home | {"LOCALAPPDATA": str(environment / "cache")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )


def test_it_runs_from_where_it_was_installed(environment: Path, folder: Path) -> None:
    script = (
        "import advisor as a, lsp_server as b, sys; print(a.__file__, b.__file__, *sys.path, sep=chr(10))"
    )
    program, server, *path = run(environment, folder, "python", "-c", script).stdout.splitlines()
    for place in (program, server):
        assert environment.resolve() in Path(place).resolve().parents
    assert str(PROGRAM) not in path
    missing = run(environment, folder, "python", "-c", "import kernels")
    assert "No module named 'kernels'" in missing.stderr


def test_version(environment: Path, folder: Path) -> None:
    done = run(environment, folder, "advisor", "--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert advisor.__version__ in done.stdout


def test_rules_devices_and_metrics_are_there(environment: Path, folder: Path) -> None:
    rules = run(environment, folder, "advisor", "rules", "list", "--format", "json")
    assert rules.returncode == 0, rules.stderr
    shipped = len(list((PROGRAM / "knowledge" / "rules").rglob("*.rules")))
    assert len(json.loads(rules.stdout)["rules"]) >= shipped
    for command, word in (("devices", "H100"), ("metrics", "sectors_per_request"), ("doctor", "nvdisasm")):
        done = run(environment, folder, "advisor", command)
        assert (done.returncode, done.stderr) == (0, "")
        assert word in done.stdout
    explained = run(environment, folder, "advisor", "explain", "slow-power")
    assert "Power by a general function" in explained.stdout


def test_check_with_source_and_compiled_evidence(environment: Path, folder: Path) -> None:
    (folder / "kernel.py").write_text(KERNEL)
    done = run(environment, folder, "advisor", "check", "--no-cache", "--format", "json")
    assert (done.returncode, done.stderr) == (1, "")
    report = json.loads(done.stdout)
    assert report["errors"] == []
    found = {(finding["rule"], finding["line"]) for finding in report["findings"]}
    compiled = {("float64-promotion", 8)} if sys.platform in ("linux", "win32") else set()
    assert found == {("slow-power", 8)} | compiled
    text = run(environment, folder, "advisor", "check", "--evidence", "source")
    assert "slow-power" in text.stdout
    assert "a[i] = a[i] ** 0.5" in text.stdout
